// Draws the card of a run as SVG, of words that are given.
import { terminalLine } from "@evenbench/core";
import {
  type DrawnChange,
  drawInterval,
  html,
  type Markup,
  scaleOf,
  ticksWithWords,
  tickWords,
} from "@evenbench/page";
import { cutToRoom, firstLines, linesInRoom, PICTURE_HEIGHT, PICTURE_WIDTH, widthOf } from "./picture.ts";

// The light colours of the pages: a picture does not know where it is shown.
const PAPER = "#ffffff";
const INK = "#1b1f24";
const SOFT = "#57606a";
const LINE_COLOUR = "#dfe3e8";
const BAND = "#eef0f3";
const FASTER = "#0a6b5c";
const SLOWER_COLOUR = "#a5261c";
/** Margin at both sides, in pixels as all lengths here. */
const SIDE = 48;
const INNER = PICTURE_WIDTH - 2 * SIDE;
const CLAIM_SIZE = 42;
const CLAIM_LINES = 2;
const CHART_END = 500;
/** Width of a row's name. */
const LABELS = 430;
/** Width of a row's number. */
const VALUES = 210;
/** Width of the name above the numbers. */
const QUANTITY_ROOM = 240;
/** Smallest height of a row: a lower one cannot be read. */
const LEAST_ROW = 24;
/** Largest height of a row: in a higher one its text looks lost. */
const MOST_ROW = 60;
const NOTE_SIZE = 20;
const NOTE_LINES = 4;
const NOTE_LINE = 28;
/** Most lines of what makes a run no result, and of a command. */
const STATE_LINES = 2;
const COMMAND_LINES = 2;
/** Height of the last line, from the top. */
const FOOT = 612;
/** Pixels from one line of the claim to the next, and from the last one to the chart. */
const CLAIM_LINE = 52;
const ABOVE_CHART = 24;

const COLOURS_OF_VERDICTS: Readonly<Record<DrawnChange["verdict"], string>> = {
  faster: FASTER,
  slower: SLOWER_COLOUR,
  same: INK,
  unclear: SOFT,
  none: SOFT,
};

interface CardRow {
  /** The case's title; of one case alone the platform's name. */
  readonly label: string;
  readonly change: DrawnChange;
  /** The change in words, as it stands beside its drawing. */
  readonly value: string;
}

/** Every word and change of a picture. */
export interface CardContent {
  /** What makes the run no result, or less than it was to be; empty where nothing does. */
  readonly state: readonly string[];
  /** How the first platform compares. */
  readonly claim: string;
  /** All answers, for those who do not see the picture. */
  readonly says: string;
  /** The quantity that is compared, and what it is compared with. */
  readonly quantity: string;
  readonly baseline: string;
  /** "ms" where changes are differences in milliseconds. */
  readonly unit: "ratio" | "ms";
  /** Ends of what is called the same; empty where they differ by case. */
  readonly same: readonly number[];
  /** Rows of the platform of the claim, in the order of cases; of one case alone a row for each platform. */
  readonly rows: readonly CardRow[];
  /** The other platforms, where it was measured, what is less sure, and what ran. */
  readonly note: string;
  /** Version of Evenbench, and the day on which it was measured. */
  readonly origin: string;
  /** The command that measures it again; null where none was recorded. */
  readonly command: string | null;
  /** True for a smoke test: its times are no results, and its card says so across it. */
  readonly isSmokeTest: boolean;
}

interface CardTextStyle {
  /** Size of the letters in pixels. */
  readonly size: number;
  /** Colour. Default: that of ink. */
  readonly fill?: string;
  /** Default: 400. */
  readonly weight?: 400 | 700;
  /** The part of the text that stands at its place. Default: "start". */
  readonly anchor?: "start" | "middle" | "end";
}

/** The cross that the pictures' font has, in the place of the one of all other outputs. */
const CROSSES = ["✕", "✗"] as const;

function drawText(x: number, y: number, words: string, room: number, style: CardTextStyle): Markup {
  const { size, fill = INK, weight = 400, anchor = "start" } = style;
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" font-weight="${weight}" text-anchor="${anchor}">${cutToRoom(terminalLine(words).replaceAll(...CROSSES), room, size, weight)}</text>`;
}

function textRight(y: number, words: string, room: number, style: CardTextStyle): Markup {
  return drawText(PICTURE_WIDTH - SIDE, y, words, room, { ...style, anchor: "end" });
}

/** Draws a picture as SVG of 1200 x 630 pixels. */
export function drawSvg(content: CardContent): string {
  const { state, claim, says, rows, isSmokeTest } = content;
  const stateLines = firstLines(
    state.flatMap((line) => linesInRoom(line, INNER, NOTE_SIZE, 700)),
    STATE_LINES,
    INNER,
    NOTE_SIZE,
    700,
  );
  const claimLines = firstLines(
    linesInRoom(claim, INNER, CLAIM_SIZE, 700),
    CLAIM_LINES,
    INNER,
    CLAIM_SIZE,
    700,
  );
  const { lines, isInFoot } = noteLinesOf(content);
  const claimStart = 70 + NOTE_LINE * stateLines.length;
  const firstNote = FOOT - NOTE_LINE * lines.length;
  const chartStart = claimStart + CLAIM_LINE * claimLines.length + ABOVE_CHART;
  const chart = rows.length === 0 ? null : drawRows(content, chartStart, firstNote - ABOVE_NOTES);
  const bold = { size: NOTE_SIZE, weight: 700 } as const;
  const soft = { size: NOTE_SIZE, fill: SOFT } as const;
  const foot = isInFoot ? `${content.origin} · ${content.command}` : content.origin;
  const nameWidth = widthOf("Evenbench", NOTE_SIZE, 700) + 10;
  const body = html`<title>${terminalLine(claim)}</title><desc>${terminalLine(says)}</desc><rect width="${PICTURE_WIDTH}" height="${PICTURE_HEIGHT}" fill="${PAPER}"/>
${stateLines.map((line, index) => drawText(SIDE, 44 + NOTE_LINE * index, line, INNER, { ...bold, fill: SLOWER_COLOUR }))}
${claimLines.map((line, index) => drawText(SIDE, claimStart + CLAIM_LINE * index, line, INNER, { size: CLAIM_SIZE, weight: 700 }))}
${chart}
${lines.map((line, index) => drawText(SIDE, firstNote + NOTE_LINE * index, line, INNER, soft))}
${drawText(SIDE, FOOT, "Evenbench", 200, bold)}${drawText(SIDE + nameWidth, FOOT, foot, INNER - nameWidth, soft)}${isSmokeTest ? smokeTestStamp() : null}`;
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${PICTURE_WIDTH}" height="${PICTURE_HEIGHT}" viewBox="0 0 ${PICTURE_WIDTH} ${PICTURE_HEIGHT}" font-family="Inter, system-ui, sans-serif">${body}</svg>`.text}\n`;
}

/** Breaks the note into lines. The command stands in the foot, else in own lines; one without room there is left out. */
function noteLinesOf({ note, origin, command }: CardContent): {
  readonly lines: readonly string[];
  readonly isInFoot: boolean;
} {
  const lines = firstLines(linesInRoom(note, INNER, NOTE_SIZE), NOTE_LINES, INNER, NOTE_SIZE);
  if (command === null) {
    return { lines, isInFoot: false };
  }
  const inFoot = widthOf(`Evenbench ${origin} · ${command}`, NOTE_SIZE, 700) < INNER;
  const own = linesInRoom(command, INNER, NOTE_SIZE);
  return inFoot || own.length > COMMAND_LINES
    ? { lines, isInFoot: inFoot }
    : { lines: [...lines, ...own], isInFoot: false };
}

/** Draws a text across the picture, so that nobody takes a smoke test for a result. */
function smokeTestStamp(): Markup {
  return html`<g transform="translate(${PICTURE_WIDTH / 2} ${PICTURE_HEIGHT / 2 + 40}) rotate(-14)"><text text-anchor="middle" font-size="76" font-weight="700" fill="${SLOWER_COLOUR}" fill-opacity="0.85">SMOKE TEST: NO RESULT</text></g>`;
}

/** Pixels from the first note's place up to where the chart may reach: the line of that note, and a gap. */
const ABOVE_NOTES = 54;
/** Smallest letters of a label, in pixels: 8 on a phone. */
const LEAST_LABEL = 19;
/** Letters above the chart, in pixels: 8.8 where the picture is shown 504 pixels wide. */
const TICK_SIZE = 21;
/** The meaning of the lines of the chart, which stands above the names of its rows. */
const LINE_LEGEND = "line: 99 % interval (same: 90 %)";
/** The directions of the chart, which stand below it, and its band where it has one. */
const SIDES_LEGEND = "← less time · more time →";
const BAND_LEGEND = "← less time · grey band: same · more time →";
/** Pixels from the end of the chart's rows down to the line of its directions. */
const SIDES_DROP = 23;
/** Room of that line below the rows, in pixels. */
const SIDES_ROOM = 26;
/** Room for the words above a line of the chart, and least gap between two of them, in pixels. */
const TICK_ROOM = 110;
const TICK_GAP = 8;

function drawRows(content: CardContent, y: number, end: number): Markup {
  const { rows, baseline, quantity, unit } = content;
  const bottom = Math.min(CHART_END, end) - SIDES_ROOM;
  const most = Math.max(1, Math.floor((bottom - y) / LEAST_ROW));
  const shown = rows.slice(0, most);
  const height = Math.min(MOST_ROW, (bottom - y) / shown.length);
  const usualSize = Math.min(25, height * 0.62);
  const longest = Math.max(...shown.map(({ label }) => widthOf(label, usualSize, 700)));
  // One size for all labels: that in which the longest has room, as far as it is read on a phone.
  const size = Math.max(LEAST_LABEL, Math.min(usualSize, (usualSize * (LABELS - 20)) / longest));
  const valueSize = Math.min(32, height * 0.78);
  const scale = scaleOf(
    rows.map(({ change }) => change),
    unit,
  );
  const at = (value: number) => SIDE + LABELS + (scale.position(value) / 100) * (INNER - LABELS - VALUES);
  const small = { size: TICK_SIZE, fill: SOFT } as const;
  const wordsOf = (tick: number): string => (tick === scale.zero ? baseline : tickWords(tick, unit));
  const worded = ticksWithWords(scale, {
    at,
    widthOf: (tick) => Math.min(TICK_ROOM, widthOf(wordsOf(tick), TICK_SIZE)),
    gap: TICK_GAP,
  });
  const grid = scale.ticks.map((tick) => {
    const colour = tick === scale.zero ? INK : LINE_COLOUR;
    const words = worded.includes(tick) ? wordsOf(tick) : "";
    const label = drawText(at(tick), y - 12, words, TICK_ROOM, { ...small, anchor: "middle" });
    return html`${label}<line x1="${at(tick)}" x2="${at(tick)}" y1="${y}" y2="${y + shown.length * height}" stroke="${colour}"/>`;
  });
  const drawnRows = shown.map(({ label, change, value }, index) => {
    const middle = y + (index + 0.5) * height;
    const colour = COLOURS_OF_VERDICTS[change.verdict];
    const isDecided = change.verdict !== "unclear" && change.verdict !== "none";
    const style = isDecided
      ? ({ size: valueSize, weight: 700, fill: colour } as const)
      : { size: Math.min(22, valueSize), fill: SOFT };
    const drawing = drawInterval(change, (end) => String(at(end)), middle, Math.min(1.6, height / 26));
    return html`${drawText(SIDE, middle + size * 0.35, label, LABELS - 20, { size, weight: 700 })}<g color="${colour}">${drawing}</g>${textRight(middle + style.size * 0.36, value, VALUES - 10, style)}`;
  });
  const left = rows.length - shown.length;
  const legend = drawText(SIDE, y - 12, LINE_LEGEND, LABELS - 20, small);
  const words = content.same.length === 0 ? SIDES_LEGEND : BAND_LEGEND;
  const sides = drawText(at(scale.zero), y + shown.length * height + SIDES_DROP, words, 2 * LABELS, {
    ...small,
    anchor: "middle",
  });
  const [from, to] = content.same.map(at);
  const band =
    from === undefined || to === undefined
      ? null
      : html`<rect x="${from}" y="${y}" width="${to - from}" height="${shown.length * height}" fill="${BAND}"/>`;
  return html`${legend}${sides}${band}${grid}${textRight(y - 12, quantity, QUANTITY_ROOM, small)}${drawnRows}${left > 0 ? textRight(bottom + 16, `and ${left} more`, 200, small) : null}`;
}

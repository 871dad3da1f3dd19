import { terminalLine } from "@evenbench/core";
import {
  changeOf,
  drawMark,
  html,
  type Markup,
  scaleOf,
  ticksWithWords,
  tickWords,
  unbroken,
} from "@evenbench/page";
import type { Run } from "@evenbench/results";
import { type Comparison, isDecided, isJudged } from "@evenbench/stats";
import { isCompared } from "../case-report.ts";
import { type ClaimedCase, cardClaim, cutWords, isSentenceOn, mainFinding } from "../claim.ts";
import type { ReportData } from "../data.ts";
import { placeOf, platformColumns, type ReportTarget, spokenBaselines } from "../names.ts";
import { caseWord, isOfOwnServers } from "../notices.ts";
import { shortCommand } from "../repeat.ts";
import { isOnCpuTime } from "../sentences.ts";
import { failedCheckMark } from "../verdict-table.ts";
import { cutToRoom, firstLines, linesInRoom, PICTURE_HEIGHT, PICTURE_WIDTH, widthOf } from "./picture.ts";

// The light colours of the pages: a picture does not know where it is shown.
const PAPER = "#ffffff";
const INK = "#1b1f24";
const SOFT = "#57606a";
const LINE_COLOUR = "#dfe3e8";
const FASTER = "#0a6b5c";
const SLOWER_COLOUR = "#a5261c";
/** Margin at both sides, in pixels as all lengths here. */
const SIDE = 48;
const INNER = PICTURE_WIDTH - 2 * SIDE;
const CLAIM_SIZE = 42;
const CLAIM_LINES = 2;
const CHART_START = 186;
const CHART_END = 500;
/** Width of a row's name. */
const LABELS = 430;
/** Width of a row's number. */
const VALUES = 210;
/** Width of the name above the numbers. */
const HEAD_HEIGHT = 240;
/** Smallest height of a row: a lower one cannot be read. */
const LEAST_ROW = 24;
/** Largest height of a row: in a higher one its text looks lost. */
const MOST_ROW = 60;
const NOTE_SIZE = 20;
const NOTE_LINES = 3;
const NOTE_LINE = 30;

/** A row of the picture's chart. */
interface CardRow {
  /** The case's title; of one case alone the platform's name. */
  readonly label: string;
  /** The comparison that is drawn. */
  readonly mark: Pick<Comparison, "verdict" | "ratio">;
  /** "−52 %" where it is decided, the ends of the interval where it is not, or why there is no number. */
  readonly value: string;
}

/** Every word and number of a picture. */
export interface CardContent {
  /** The finding in at most 12 words. */
  readonly claim: string;
  /** All of the run's sentences, for those who do not see the picture. */
  readonly says: string;
  /** Names of what the platform of the claim is compared with, as a list in words. */
  readonly baselines: string;
  /** Rows of the platform of the claim; of one case alone a row for each platform. Sorted by effect. */
  readonly rows: readonly CardRow[];
  /** Sentences on the other platforms and on what was not proven, then where and when it was measured. */
  readonly notes: readonly string[];
  /** The day on which it was measured: "2026-11-28". */
  readonly day: string;
  /** The subject of the picture, for who meets it alone; empty where own servers were measured. */
  readonly what: string;
  /** Address of the repository without its protocol; empty where the run does not say. */
  readonly repository: string;
  /** The command that measures it again. */
  readonly command: string;
  /** True for a smoke test: its times are no results, and its card says so across it. */
  readonly isSmokeTest: boolean;
}

/** A case of which something was compared. */
export interface CardCase extends ClaimedCase {
  /** Id of the case. */
  readonly id: string;
  /** Text behind its title: that its check failed; empty where it did not, or nobody knows. */
  readonly mark: string;
  /** Comparisons of the case; there is one at least. */
  readonly headline: NonNullable<ClaimedCase["headline"]>;
}

/** The findings that a card shows, whatever they were read from. */
interface CardFindings {
  readonly targets: readonly ReportTarget[];
  readonly cases: readonly CardCase[];
  /** The run's sentences; what was not proven comes first. */
  readonly sentences: readonly string[];
}

/** Gives what the card of a run shows. */
export function cardOf({ run, targets, cases, summary, method }: ReportData): CardContent {
  const compared = method === null ? cases.filter(isCompared) : [];
  return cardContentOf(run, {
    targets,
    cases: compared.map((report) => ({
      id: report.manifest.id,
      title: report.manifest.title,
      mark: failedCheckMark(report),
      baseline: report.baseline,
      headline: {
        comparisons: (report.headline?.comparisons ?? []).map(({ target, verdict, ratio }) => {
          return { target, verdict, ratio };
        }),
      },
    })),
    // A picture may have no room for what comes last.
    sentences: caveatsFirst(summary.sentences, [summary.stopped, summary.unproven, summary.failedChecks]),
  });
}

/** Puts the caveats among sentences before the others. @param caveats null for those that a run does not have. */
function caveatsFirst(sentences: readonly string[], caveats: readonly (string | null)[]): readonly string[] {
  const isCaveat = (sentence: string) => caveats.includes(sentence);
  return sentences.toSorted((a, b) => Number(isCaveat(b)) - Number(isCaveat(a)));
}

/** Gives what a card shows of findings, whatever they were read from. */
export function cardContentOf(run: Run, { targets, cases, sentences }: CardFindings): CardContent {
  const finding = mainFinding(targets, cases);
  const [first = "", ...rest] = sentences;
  const columns = platformColumns(targets, cases);
  const [only] = cases;
  // Of one case alone there is a row for each platform.
  const isOneCase = cases.length === 1 && columns.length > 1;
  const found =
    isOneCase && only !== undefined
      ? columns.map(({ spoken, comparisonIn }) => ({ label: spoken, comparison: comparisonIn(only) }))
      : (finding?.found ?? []).map(({ title, comparison }) => {
          const { mark = "" } = cases.find((each) => each.title === title) ?? {};
          return { label: `${title}${mark}`, comparison };
        });
  const rows = found.flatMap(({ label, comparison }): readonly CardRow[] =>
    comparison === null ? [] : [{ label, mark: comparison, value: numberText(comparison) }],
  );
  const shown = isOneCase ? columns.map(({ spoken }) => spoken) : [finding?.spoken ?? ""];
  const others =
    finding === null
      ? rest
      : sentences.filter(
          (sentence) => !isOnCpuTime(sentence) && !shown.some((spoken) => isSentenceOn(spoken, sentence)),
        );
  const effectOf = ({ mark }: CardRow) => mark.ratio?.estimate ?? Number.POSITIVE_INFINITY;
  return {
    claim: finding === null ? cutWords(first) : cardClaim(finding, caseWord(run.plan)),
    says: sentences.join(" "),
    baselines: spokenBaselines(targets, cases),
    rows: rows.toSorted((a, b) => effectOf(a) - effectOf(b)),
    // What a shared picture must not be without: a picture may have no room for what comes last.
    notes: [`${placeOf(run)}.`, ...others],
    day: run.startedAt.slice(0, 10),
    what: isOfOwnServers(run.plan) ? "" : "the same JavaScript on several platforms",
    repository: run.source?.repository?.replace(/^https:\/\//, "") ?? "",
    command: shortCommand(run),
    isSmokeTest: run.plan.quick === true,
  };
}

/** Writes the number of a row. */
function numberText({ verdict, ratio }: Pick<Comparison, "verdict" | "ratio">): string {
  const change = ratio === null || !isJudged(verdict) ? null : changeOf(ratio);
  if (change === null) {
    return verdict;
  }
  return isDecided(verdict) ? change.estimate : `${change.interval} %`;
}

/** How a text of the picture looks. */
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

/** Draws a text, cut to the room that it has. */
function drawText(x: number, y: number, words: string, room: number, style: CardTextStyle): Markup {
  const { size, fill = INK, weight = 400, anchor = "start" } = style;
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" font-weight="${weight}" text-anchor="${anchor}">${cutToRoom(words, room, size, weight)}</text>`;
}

/** Draws a text that ends at the right margin. */
function textRight(y: number, words: string, room: number, style: CardTextStyle): Markup {
  return drawText(PICTURE_WIDTH - SIDE, y, words, room, { ...style, anchor: "end" });
}

/** Draws a picture as SVG of 1200 x 630 pixels. */
export function drawSvg(content: CardContent): string {
  const { claim, says, rows, notes, day, what, repository, command, isSmokeTest } = content;
  // "2 of 7" stays on one line.
  const unbrokenClaim = claim.replace(/ (\d+) of (?=\d)/, " $1\u00a0of\u00a0");
  const claimLines = firstLines(
    linesInRoom(unbrokenClaim, INNER, CLAIM_SIZE, 700),
    CLAIM_LINES,
    INNER,
    CLAIM_SIZE,
    700,
  );
  const noteLines = firstLines(
    notes.flatMap((note) => linesInRoom(unbroken(note), INNER, NOTE_SIZE)),
    NOTE_LINES,
    INNER,
    NOTE_SIZE,
  );
  const firstNote = 610 - NOTE_LINE * noteLines.length;
  const address = [day, what, repository, command].filter((part) => part !== "").join(" · ");
  const nameWidth = widthOf("Evenbench", NOTE_SIZE, 700) + 10;
  const chartStart = claimLines.length === 1 ? CHART_START - 40 : CHART_START;
  const chart = rows.length === 0 ? null : drawRows(content, chartStart, firstNote - ABOVE_NOTES);
  const body = html`<title>${terminalLine(claim)}</title><desc>${terminalLine(says)}</desc><rect width="${PICTURE_WIDTH}" height="${PICTURE_HEIGHT}" fill="${PAPER}"/>
${claimLines.map((line, index) => drawText(SIDE, 70 + 52 * index, line, INNER, { size: CLAIM_SIZE, weight: 700 }))}
${chart}
${noteLines.map((line, index) => drawText(SIDE, firstNote - 20 + NOTE_LINE * index, line, INNER, { size: NOTE_SIZE, fill: SOFT }))}
${drawText(SIDE, 612, "Evenbench", 200, { size: NOTE_SIZE, weight: 700 })}${drawText(SIDE + nameWidth, 612, address, INNER - nameWidth, { size: NOTE_SIZE, fill: SOFT })}${isSmokeTest ? smokeTestStamp() : null}`;
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${PICTURE_WIDTH}" height="${PICTURE_HEIGHT}" viewBox="0 0 ${PICTURE_WIDTH} ${PICTURE_HEIGHT}" font-family="Inter, system-ui, sans-serif">${body}</svg>`.text}\n`;
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
const LINE_LEGEND = "line: 99 % interval, log scale";
/** The directions of the chart, which stand below it. */
const SIDES_LEGEND = "← less time · more time →";
/** Pixels from the end of the chart's rows down to the line of its directions. */
const SIDES_DROP = 23;
/** Room of that line below the rows, in pixels. */
const SIDES_ROOM = 26;
/** Room for the words above a line of the chart, and least gap between two of them, in pixels. */
const TICK_ROOM = 110;
const TICK_GAP = 8;

/** Draws the rows of the card between two heights. */
function drawRows({ rows, baselines }: CardContent, y: number, end: number): Markup {
  const bottom = Math.min(CHART_END, end) - SIDES_ROOM;
  const most = Math.max(1, Math.floor((bottom - y) / LEAST_ROW));
  const shown = rows.slice(0, most);
  const height = Math.min(MOST_ROW, (bottom - y) / shown.length);
  const usualSize = Math.min(25, height * 0.62);
  const longest = Math.max(...shown.map(({ label }) => widthOf(label, usualSize, 700)));
  // One size for all labels: that in which the longest has room, as far as it is read on a phone.
  const size = Math.max(LEAST_LABEL, Math.min(usualSize, (usualSize * (LABELS - 20)) / longest));
  const valueSize = Math.min(32, height * 0.78);
  const scale = scaleOf(rows.flatMap(({ mark }) => (isJudged(mark.verdict) ? mark : [])));
  const at = (ratio: number) => SIDE + LABELS + (scale.position(ratio) / 100) * (INNER - LABELS - VALUES);
  const small = { size: TICK_SIZE, fill: SOFT } as const;
  const wordsOf = (tick: number): string => (tick === scale.zero ? baselines : tickWords(tick));
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
  const drawnRows = shown.map(({ label, mark, value }, index) => {
    const middle = y + (index + 0.5) * height;
    const colour = colourOf(mark.verdict);
    const isBold = isDecided(mark.verdict);
    const style = isBold
      ? ({ size: valueSize, weight: 700, fill: colour } as const)
      : { size: Math.min(22, valueSize), fill: SOFT };
    return html`${drawText(SIDE, middle + size * 0.35, label, LABELS - 20, { size, weight: 700 })}<g color="${colour}">${drawMark(mark, (ratio) => String(at(ratio)), middle, Math.min(1.6, height / 26))}</g>${textRight(middle + style.size * 0.36, value, VALUES - 10, style)}`;
  });
  const left = rows.length - shown.length;
  const legend = drawText(SIDE, y - 12, LINE_LEGEND, LABELS - 20, small);
  const sides = drawText(at(1), y + shown.length * height + SIDES_DROP, SIDES_LEGEND, 2 * LABELS, {
    ...small,
    anchor: "middle",
  });
  return html`${legend}${sides}${grid}${textRight(y - 12, "time to the last byte", HEAD_HEIGHT, small)}${drawnRows}${left > 0 ? textRight(bottom + 16, `and ${left} more`, 200, small) : null}`;
}

/** Chooses the colour of a verdict. */
function colourOf(verdict: Comparison["verdict"]): string {
  if (verdict === "faster") {
    return FASTER;
  }
  if (verdict === "slower") {
    return SLOWER_COLOUR;
  }
  return verdict === "same" ? INK : SOFT;
}

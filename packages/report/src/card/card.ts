import { terminalLine } from "@evenbench/core";
import {
  counted,
  drawMark,
  effectWords,
  html,
  LIGHT_PALETTE,
  type Markup,
  scaleOf,
  tickWords,
} from "@evenbench/page";
import type { Run } from "@evenbench/results";
import { type Comparison, isDifference, isJudged } from "@evenbench/stats";
import { isCompared, ofTarget } from "../case-report.ts";
import type { ReportData } from "../data.ts";
import {
  baselinesOf,
  columnsOf,
  isLocalRun,
  placeOf,
  type ReportTarget,
  trialsWords,
  whatRan,
} from "../names.ts";
import { shortCommand } from "../repeat.ts";
import { cpuAnswer, type Found } from "../sentences.ts";
import { cut, firstLines, HEIGHT, linesOf, WIDTH, widthOf } from "./picture.ts";

/** The light colours of the pages: a picture does not know where it is shown. */
const PAPER = "#ffffff";
const INK = "#1b1f24";
const SOFT = "#57606a";
const LINE = "#dfe3e8";
const SHADE = "#f6f7f9";
const SIDE = 48;
const INNER = WIDTH - 2 * SIDE;
const ANSWER_SIZES = [38, 34, 30, 27, 24, 21];
const LEAST_ANSWER = 19;
const ANSWER_LINES = 4;
const CHART_END = 506;
const LABELS = 230;
/** Below these a row, and one platform's line in it, cannot be read. */
const LEAST_ROW = 22;
const LEAST_LINE = 9;

/** The line of a target in a row. */
interface CardMark extends Pick<Comparison, "verdict" | "ratio"> {
  /** Index of the target's platform among all. */
  readonly line: number;
  /** "23 to 58 % more time", or why there is no number. */
  readonly text: string;
}

interface CardRow {
  readonly label: string;
  /** The case's title, where there is room. */
  readonly under: string;
  readonly marks: readonly CardMark[];
}

/** Every word and number of a picture. */
export interface CardContent {
  readonly head: string;
  /** "2026-11-21". */
  readonly date: string;
  /** Sentences. A picture may have no room for the last ones. */
  readonly answer: readonly string[];
  readonly platforms: readonly { readonly name: string; readonly colour: string }[];
  /** Names of the targets that the others are compared with, as a list. */
  readonly baselines: string;
  readonly rows: readonly CardRow[];
  readonly facts: readonly string[];
  /** Command that measures the same again. */
  readonly command: string;
  readonly tool: string;
  /** An address without its protocol; empty where the run does not say. */
  readonly repository: string;
}

/** A case of which something was compared. */
export interface CardCase {
  readonly id: string;
  readonly title: string;
  /** The name of the target that others are compared with. */
  readonly baseline: string;
  readonly headline: {
    readonly comparisons: readonly (Pick<Found, "verdict" | "ratio" | "cpu"> & { readonly target: string })[];
  };
  /** Numbers of trials that count, one for each target. */
  readonly summaries: readonly { readonly trials: number }[];
}

interface CardFindings {
  readonly targets: readonly ReportTarget[];
  readonly cases: readonly CardCase[];
  readonly measuredCases: number;
  readonly sentences: readonly string[];
  /** How many. */
  readonly notices: number;
}

/** Makes the content of a run's picture from its report. */
export function cardOf({ run, targets, cases, warnings, summary, method }: ReportData): CardContent {
  const compared = method === null ? cases.filter(isCompared) : [];
  return cardContentOf(run, {
    targets,
    cases: compared.map(({ manifest, baseline, headline, cpuTime }) => ({
      id: manifest.id,
      title: manifest.title,
      baseline,
      headline: {
        comparisons: (headline?.comparisons ?? []).map(({ target, verdict, ratio }) => {
          return { target, verdict, ratio, cpu: ofTarget(cpuTime?.comparisons, target) };
        }),
      },
      summaries: headline?.summaries ?? [],
    })),
    measuredCases: cases.length,
    // A picture may have no room for what comes last.
    sentences: summary.sentences.toSorted(
      (a, b) => Number(b === summary.unproven) - Number(a === summary.unproven),
    ),
    notices: warnings.length,
  });
}

/** Makes the content of a run's picture from the run and what was found. */
export function cardContentOf(run: Run, findings: CardFindings): CardContent {
  const { targets, cases, measuredCases } = findings;
  const columns = columnsOf(targets, cases);
  const summaries = cases.flatMap((one) => one.summaries);
  const notices = findings.notices === 0 ? "no notices" : counted(findings.notices, "notice");
  return {
    head: `${isLocalRun(run) ? "Local run" : "Measured over the network"} · ${counted(measuredCases, "case")}`,
    date: run.startedAt.slice(0, 10),
    answer: findings.sentences,
    platforms: columns.map(({ spoken, colour }) => ({ name: spoken, colour: LIGHT_PALETTE[colour] ?? INK })),
    baselines: baselinesOf(targets, cases),
    rows: cases.map((one) => ({
      label: one.id,
      under: one.title,
      marks: columns.flatMap(({ comparisonIn }, line) => {
        const comparison = comparisonIn(one);
        if (comparison === null) {
          return [];
        }
        const { verdict, ratio } = comparison;
        const ofCpu = cpuAnswer(comparison);
        const text =
          ofCpu === null ? effectWords(comparison) : `CPU time ${effectWords(ofCpu).replace(/ time$/, "")}`;
        return [{ line, verdict, ratio, text }];
      }),
    })),
    facts: [
      placeOf(run),
      [[...trialsWords(summaries), notices].join(", "), whatRan(run)].filter(Boolean).join(" · "),
    ],
    command: shortCommand(run),
    tool: `Evenbench ${run.evenbenchVersion}`,
    repository: run.source?.repository?.replace(/^https:\/\//, "") ?? "",
  };
}

interface Look {
  readonly size: number;
  readonly fill?: string;
  readonly weight?: 400 | 700;
  readonly anchor?: "start" | "middle" | "end";
}

function say(x: number, y: number, words: string, room: number, look: Look): Markup {
  const { size, fill = INK, weight = 400, anchor = "start" } = look;
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" font-weight="${weight}" text-anchor="${anchor}">${cut(words, room, size)}</text>`;
}

function textRight(y: number, words: string, room: number, look: Look): Markup {
  return say(WIDTH - SIDE, y, words, room, { ...look, anchor: "end" });
}

/** Draws a picture as SVG of 1200 x 630 pixels. */
export function drawSvg(content: CardContent): string {
  const { head, date, rows, facts, tool, repository } = content;
  const linesIn = (size: number) => content.answer.flatMap((sentence) => linesOf(sentence, INNER, size, 700));
  const size = ANSWER_SIZES.find((candidate) => linesIn(candidate).length < ANSWER_LINES) ?? LEAST_ANSWER;
  const answer = firstLines(linesIn(size), ANSWER_LINES, INNER, size, 700);
  const command = firstLines(linesOf(content.command, INNER - 280, 14), 2, INNER - 280, 14);
  const shade = Math.max(...command.map((line) => widthOf(line, 14))) + 20;
  const top = 104 + size * 1.28 * answer.length;
  const soft = { size: 18, fill: SOFT };
  const body = html`<title>${terminalLine(head)}</title><desc>${terminalLine(content.answer.join(" "))}</desc><rect width="${WIDTH}" height="${HEIGHT}" fill="${PAPER}"/>
${say(SIDE, 50, head, INNER - 140, soft)}${textRight(50, date, 140, soft)}
${answer.map((line, index) => say(SIDE, 66 + size * (1.0 + 1.28 * index), line, INNER, { size, weight: 700 }))}
${rows.length === 0 ? null : html`${chart(content, top)}${key(content, 524)}`}
${facts.map((fact, index) => say(SIDE, 546 + 19 * index, fact, INNER, { size: 14, fill: SOFT }))}
<rect x="${SIDE}" y="578" width="${Math.min(INNER - 260, shade)}" height="${8 + 17 * command.length}" rx="5" fill="${SHADE}"/>
${command.map((line, index) => say(SIDE + 10, 595 + 17 * index, line, INNER - 280, { size: 14 }))}${textRight(597, tool, 240, { size: 17, weight: 700 })}${textRight(615, repository, 240, { size: 13, fill: SOFT })}`;
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Inter, system-ui, sans-serif">${body}</svg>`.text}\n`;
}

function chart({ rows, platforms }: CardContent, y: number): Markup {
  const room = CHART_END - y;
  const most = Math.max(1, Math.floor(room / Math.max(LEAST_ROW, platforms.length * LEAST_LINE + 6)));
  const shown = rows.slice(0, most);
  const height = Math.min(room / shown.length, 24 + platforms.length * 40);
  const line = (height - 6) / platforms.length;
  const size = Math.round(Math.min(20, Math.max(13, height * 0.36)));
  const valueSize = Math.min(19, Math.max(11, line * 0.8));
  const drawn = rows.flatMap(({ marks }) => marks);
  const values = 20 + Math.max(...drawn.map(({ text }) => widthOf(text, valueSize, 700)));
  const { position, ticks } = scaleOf(drawn.filter(({ verdict }) => isJudged(verdict)));
  const at = (ratio: number) => SIDE + LABELS + (position(ratio) / 100) * (INNER - LABELS - values);
  const small = { size: 13, fill: SOFT };
  const grid = ticks.map(
    (tick) =>
      html`${say(at(tick), y - 6, tickWords(tick), 70, { ...small, anchor: "middle" })}<line x1="${at(tick)}" x2="${at(tick)}" y1="${y}" y2="${y + shown.length * height}" stroke="${tick === 1 ? INK : LINE}"/>`,
  );
  const isRoomy = height >= size * 1.3 + 18;
  const drawnRows = shown.map(({ label, under, marks }, index) => {
    const rowY = y + index * height;
    const middle = rowY + height / 2;
    return html`<line x1="${SIDE}" x2="${WIDTH - SIDE}" y1="${rowY}" y2="${rowY}" stroke="${LINE}"/>
${say(SIDE, isRoomy ? middle - 1 : middle + size * 0.35, label, LABELS - 12, { size, weight: 700 })}${isRoomy ? say(SIDE, middle + 16, under, LABELS - 12, small) : null}${marks.map(
  (mark) => {
    const markY = rowY + 3 + (mark.line + 0.5) * line;
    const isDecided = isDifference(mark.verdict) || mark.verdict === "same";
    const look = isDecided ? ({ weight: 700 } as const) : { fill: SOFT };
    const scaled = Math.min(1.5, Math.max(0.6, line / 17));
    return html`<g color="${platforms[mark.line]?.colour ?? INK}">${drawMark(mark, (ratio) => String(at(ratio)), markY, scaled)}</g>${textRight(markY + valueSize * 0.36, mark.text, values, { size: valueSize, ...look })}`;
  },
)}`;
  });
  const left = rows.length - shown.length;
  return html`${grid}${drawnRows}${left > 0 ? textRight(CHART_END + 2, `and ${left} more`, 200, small) : null}`;
}

function key({ platforms, baselines }: CardContent, y: number): Markup {
  let x = SIDE;
  const names = platforms.map(({ name, colour }) => {
    const at = x;
    x += widthOf(name, 14, 700) + 34;
    return html`<circle cx="${at + 6}" cy="${y - 5}" r="6" fill="${colour}"/>${say(at + 18, y, name, 300, { size: 14, weight: 700 })}`;
  });
  const scale = `0 is ${baselines}, left takes less time; bold: told apart, or the same`;
  return html`${names}${say(x, y, scale, WIDTH - SIDE - x, { size: 14, fill: SOFT })}`;
}

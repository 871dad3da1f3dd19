import { join } from "node:path";
import { terminalLine } from "@evenbench/core";
import { ownFolder, writeWhole } from "@evenbench/results";
import { type CaseAnalysis, LEVEL, type RatioInterval, VERDICTS } from "@evenbench/stats";
import { caseAnswer } from "../answer.ts";
import { isCompared, ofTarget } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { counted, formatMs, percentRange, shortRange, tickWords } from "../format.ts";
import { html, type Markup } from "../html/markup.ts";
import { scaleOf } from "../html/scale.ts";
import { LIGHT_PALETTE } from "../html/style.ts";
import { drawMark, effectWords } from "../marks.ts";
import {
  baselinesOf,
  CARD_FILE,
  type Column,
  columnsOf,
  placeOf,
  trialsWords,
  versionsOf,
} from "../names.ts";
import { shortCommand } from "../repeat.ts";

import { cut, HEIGHT, linesOf, pngOf, WIDTH, widthOf } from "./picture.ts";

/** The light colours of the pages: a picture does not know where it is shown. */
const [PAPER, INK, SOFT, LINE, SHADE] = ["#ffffff", "#1b1f24", "#57606a", "#dfe3e8", "#f6f7f9"];
const SIDE = 48;
const INNER = WIDTH - 2 * SIDE;
const ANSWER_SIZES = [38, 34, 30, 27, 24, 21];
const LEAST_ANSWER = 19;
const ANSWER_LINES = 4;
/** Below these a row, and one platform's line in it, cannot be read. */
const LEAST_ROW = 22;
const LEAST_LINE = 9;

export type CardContent = ReturnType<typeof cardOf>;
type CardMark = ReturnType<typeof marksOf>[number];

/** Of a run, with a row for each case; of one of its cases, with a row for its CPU time, too. */
export function cardOf(data: ReportData, only: CaseReport | null = null) {
  const { run, targets, warnings, summary } = data;
  const asked = only === null ? data.cases : [only];
  const compared = run.vantages === undefined ? asked.filter(isCompared) : [];
  const columns = columnsOf(targets, compared);
  const baselines = baselinesOf(targets, compared);
  const isLocal = run.plan.targets.every(({ place }) => place === "local");
  const [trials, versions] = [trialsWords(compared), versionsOf(run).filter(({ of }) => of !== "adapter")];
  const notices = warnings.length === 0 ? "no notices" : counted(warnings.length, "notice");
  const manifests = only === null ? run.plan.cases : [only.manifest];
  return {
    head: `${isLocal ? "Local run" : "Measured over the network"} · ${only === null ? counted(data.cases.length, "case") : `${only.manifest.id}: ${only.manifest.title}`}`,
    date: run.startedAt.slice(0, 10),
    answer: only === null ? summary.sentences : [caseAnswer(only)],
    platforms: columns.map(({ spoken, colour }) => ({ name: spoken, colour: LIGHT_PALETTE[colour] ?? INK })),
    baselines,
    rows: compared.flatMap((report) => {
      const { manifest, headline, cpuTime } = report;
      if (only === null)
        return [
          { label: manifest.id, under: manifest.title, marks: marksOf(headline, columns, percentRange) },
        ];
      return [headline, cpuTime].flatMap((analysis) => {
        if (analysis === null) return [];
        const median = (target: string) => formatMs(ofTarget(analysis.summaries, target)?.median ?? null);
        const marks = marksOf(analysis, columns, (ratio, of) => `${median(of)}, ${shortRange(ratio)}`);
        const label = analysis === headline ? "Time" : "CPU time";
        return [{ label, under: `${baselines} ${median(analysis.baseline)}`, marks }];
      });
    }),
    facts: [
      placeOf(run),
      [
        [trials, notices].filter((words) => words !== null).join(", "),
        ...versions.map(({ name, version }) => `${name} ${version}`),
      ].join(" · "),
    ],
    command: shortCommand({ ...run, plan: { ...run.plan, cases: manifests } }),
    tool: `Evenbench ${run.evenbenchVersion}`,
    repository: run.source?.repository?.replace(/^https:\/\//, "") ?? "",
  };
}

function marksOf(
  analysis: CaseAnalysis | null,
  columns: readonly Column[],
  textOf: (ratio: RatioInterval, target: string) => string,
) {
  return columns.flatMap(({ comparisonIn }, line) => {
    const comparison = comparisonIn({ headline: analysis });
    if (comparison === null) return [];
    const { verdict, ratio, target } = comparison;
    return [{ line, verdict, ratio, text: effectWords(comparison, (known) => textOf(known, target)) }];
  });
}

const SMALL = { size: 13, fill: SOFT } as const;

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

export function drawSvg(content: CardContent): string {
  const linesIn = (size: number) => content.answer.flatMap((sentence) => linesOf(sentence, INNER, size, 700));
  const size = ANSWER_SIZES.find((one) => linesIn(one).length < ANSWER_LINES) ?? LEAST_ANSWER;
  const answer = linesIn(size)
    .slice(0, ANSWER_LINES)
    .map((line, index) => say(SIDE, 66 + size * (1.0 + 1.28 * index), line, INNER, { size, weight: 700 }));
  const top = 66 + size * 1.28 * answer.length + 18;
  const description = terminalLine(content.answer.join(" "));
  const body = html`<title>${terminalLine(content.head)}</title><desc>${description}</desc><rect width="${WIDTH}" height="${HEIGHT}" fill="${PAPER}"/>
${say(SIDE, 50, content.head, INNER - 140, { size: 18, fill: SOFT })}${say(WIDTH - SIDE, 50, content.date, 140, { size: 18, fill: SOFT, anchor: "end" })}
${answer}
${content.rows.length === 0 ? null : html`${chart(content, top, 506)}${key(content, 524)}`}
${content.facts.map((fact, index) => say(SIDE, 546 + 19 * index, fact, INNER, { size: 14, fill: SOFT }))}
${foot(content)}`;
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Inter, system-ui, sans-serif">${body}</svg>`.text}\n`;
}

function chart({ rows, platforms }: CardContent, top: number, bottom: number): Markup {
  const y = top + 20;
  const room = bottom - y;
  const most = Math.max(1, Math.floor(room / Math.max(LEAST_ROW, platforms.length * LEAST_LINE + 6)));
  const shown = rows.slice(0, most);
  const height = Math.min(room / shown.length, 24 + platforms.length * 40);
  const line = (height - 6) / Math.max(1, platforms.length);
  const labelSize = Math.round(Math.min(20, Math.max(13, height * 0.36)));
  const valueSize = Math.min(19, Math.max(11, line * 0.8));
  const labelWidths = shown.flatMap((row) => [widthOf(row.label, labelSize, 700), widthOf(row.under, 13)]);
  const labels = Math.min(320, 16 + Math.max(...labelWidths));
  const texts = shown.flatMap(({ marks }) => marks.map(({ text }) => widthOf(text, valueSize, 700)));
  const values = 20 + Math.max(0, ...texts);
  const judged = rows.flatMap(({ marks }) => marks.filter(({ verdict }) => verdict !== "not warm"));
  const { position, ticks } = scaleOf(judged);
  const at = (ratio: number) => SIDE + labels + (position(ratio) / 100) * (INNER - labels - values);
  const grid = ticks.map(
    (tick) =>
      html`${say(at(tick), y - 6, tickWords(tick), 70, { ...SMALL, anchor: "middle" })}<line x1="${at(tick)}" x2="${at(tick)}" y1="${y}" y2="${y + shown.length * height}" stroke="${tick === 1 ? INK : LINE}"/>`,
  );
  const isRoomy = height >= labelSize * 1.3 + 18;
  const marked = (mark: CardMark, rowY: number) => {
    const markY = rowY + 3 + (mark.line + 0.5) * line;
    const isDecided = mark.verdict !== "inconclusive" && mark.verdict !== "not warm";
    const look = isDecided ? ({ weight: 700 } as const) : { fill: SOFT };
    const drawn = drawMark(
      mark,
      (ratio) => String(at(ratio)),
      markY,
      Math.min(1.5, Math.max(0.6, line / 17)),
    );
    return html`<g color="${platforms[mark.line]?.colour ?? INK}">${drawn}</g>${say(WIDTH - SIDE, markY + valueSize * 0.36, mark.text, values, { size: valueSize, anchor: "end", ...look })}`;
  };
  const drawnRows = shown.map(({ label, under, marks }, index) => {
    const rowY = y + index * height;
    const middle = rowY + height / 2;
    return html`<line x1="${SIDE}" x2="${WIDTH - SIDE}" y1="${rowY}" y2="${rowY}" stroke="${LINE}"/>
${say(SIDE, isRoomy ? middle - 1 : middle + labelSize * 0.35, label, labels - 12, { size: labelSize, weight: 700 })}${isRoomy ? say(SIDE, middle + 16, under, labels - 12, SMALL) : null}${marks.map((mark) => marked(mark, rowY))}`;
  });
  const left = rows.length - shown.length;
  return html`${grid}${drawnRows}${left > 0 ? say(WIDTH - SIDE, bottom + 2, `and ${left} more`, 200, { ...SMALL, anchor: "end" }) : null}`;
}

function key({ platforms, baselines, rows }: CardContent, y: number): Markup {
  const used = new Set(rows.flatMap(({ marks }) => marks.map(({ verdict }) => verdict)));
  let x = SIDE;
  const next = (width: number) => {
    const at = x;
    x += width;
    return at;
  };
  const names = platforms.map(({ name, colour }) => {
    const at = next(widthOf(name, 14, 700) + 34);
    return html`<circle cx="${at + 6}" cy="${y - 5}" r="6" fill="${colour}"/>${say(at + 18, y, name, 300, { size: 14, weight: 700 })}`;
  });
  const marks = VERDICTS.filter((verdict) => used.has(verdict)).map((verdict) => {
    const at = next(widthOf(verdict, 14) + 46);
    const ratio = { level: LEVEL, estimate: at + 12, low: at, high: at + 24 };
    return html`<g color="${SOFT}">${drawMark({ verdict, ratio }, (one) => String(one === 1 ? at + 12 : one), y - 5, 0.7)}</g>${say(at + 30, y, verdict, 200, { size: 14, fill: SOFT })}`;
  });
  const scale = `0 is ${baselines}, left takes less time`;
  return html`${names}${marks}${say(x, y, scale, WIDTH - SIDE - x, { size: 14, fill: SOFT })}`;
}

function foot({ command, tool, repository }: CardContent): Markup {
  const room = INNER - 260;
  const lines = linesOf(command, room - 20, 14).slice(0, 2);
  const width = Math.max(...lines.map((line) => widthOf(line, 14))) + 20;
  return html`<rect x="${SIDE}" y="578" width="${Math.min(room, width)}" height="${8 + 17 * lines.length}" rx="5" fill="${SHADE}"/>
${lines.map((line, index) => say(SIDE + 10, 595 + 17 * index, line, room - 20, { size: 14 }))}${say(WIDTH - SIDE, 597, tool, 240, { size: 17, weight: 700, anchor: "end" })}${say(WIDTH - SIDE, 615, repository, 240, { ...SMALL, anchor: "end" })}`;
}

export async function writeRunCard(folder: string, data: ReportData): Promise<void> {
  await write(join(folder, CARD_FILE), cardOf(data));
}

export async function writeCaseCards(folder: string, data: ReportData): Promise<string> {
  const cards = join(folder, "cards");
  await ownFolder(cards);
  for (const report of data.cases) {
    // What stands in a run's file need not be an id, and must not lead out of the folder.
    const name = encodeURIComponent(report.manifest.id);
    await write(join(cards, `${name}.png`), cardOf(data, report));
  }
  return cards;
}

async function write(pngFile: string, content: CardContent): Promise<void> {
  const svg = drawSvg(content);
  await writeWhole(pngFile, await pngOf(svg));
  await writeWhole(pngFile.replace(/png$/, "svg"), svg);
}

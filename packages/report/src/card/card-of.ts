import { terminalLine } from "@evenbench/core";
import type { Run } from "@evenbench/results";
import type { CaseAnalysis, RatioInterval } from "@evenbench/stats";
import { caseAnswer } from "../answer.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { counted, formatMs, listed, percentRange, shortRange } from "../format.ts";
import { ratioScale, timeScale } from "../html/scale.ts";
import { LIGHT_PALETTE } from "../html/style.ts";
import { placeOf, spokenNames, versionsOf, workGroups } from "../names.ts";
import { isOfStrangers } from "../notices.ts";
import { shortCommand } from "../repeat.ts";
import type { CardContent, CardMark, CardPlatform, CardRow } from "./content.ts";

/** The card of a whole run: a row for each kind of work, on time. */
export function runCard(data: ReportData): CardContent {
  // A card's chart is one of ratios: what vantages saw stands in its sentence.
  const compared = data.run.vantages === undefined ? data.cases.filter(isCompared) : [];
  const naming = namingOf(data, compared);
  const rows = workGroups(compared).flatMap(({ cases }) =>
    cases.map(({ manifest, headline }) =>
      rowOf(headline, { label: manifest.id, under: manifest.title }, naming, percentRange),
    ),
  );
  const originals = [...new Set(naming.names.values())];
  const count = counted(data.cases.length, "case");
  return {
    ...factsOf(data.run),
    ...platformsOf(data, naming),
    scale: timeScale(compared),
    question: terminalLine(
      isOfStrangers(data.run.plan)
        ? `How fast do ${listed(originals)} answer? ${count}`
        : `How does the same code run on ${listed(originals)}? ${count}`,
    ),
    answer: terminalLine(data.summary.answer ?? data.summary.compared),
    rows,
    command: shortCommand(data.run),
  };
}

/** The card of one case: time and CPU time. */
export function caseCard(report: CaseReport, data: ReportData): CardContent {
  const { manifest, headline, cpuTime, targets } = report;
  const naming = namingOf(data, [report]);
  const told = [
    { label: "Time", analysis: headline },
    { label: "CPU time", analysis: cpuTime },
  ].filter(({ analysis }) => analysis !== null && isCompared(report) && report.vantages === null);
  const rows = told.map(({ label, analysis }) =>
    rowOf(
      analysis,
      { label, under: baselineTime(analysis, naming) },
      naming,
      (ratio, target) => `${formatMs(medianOf(analysis, target))}, ${shortRange(ratio)}`,
    ),
  );
  const ofCase = Object.entries(data.run.identities).filter(([target]) => targets.includes(target));
  const alone = { ...data.run.plan, cases: [manifest] };
  return {
    ...factsOf(data.run),
    ...platformsOf(data, naming),
    scale: ratioScale(report),
    versions: versionLine({ identities: Object.fromEntries(ofCase) }),
    question: terminalLine(`${manifest.title} (${report.kindOfWork})`),
    answer: terminalLine(caseAnswer(report)),
    rows,
    command: shortCommand({ ...data.run, plan: alone }),
  };
}

function isCompared({ headline }: CaseReport): boolean {
  return (headline?.comparisons.length ?? 0) > 0;
}

/** How a card names targets, and in which order they stand in every row. */
interface Naming {
  /** By target: its platform, where that says which. */
  readonly names: ReadonlyMap<string, string>;
  /** Names, from top to bottom. */
  readonly places: readonly string[];
  readonly baselines: string;
}

function namingOf({ targets }: ReportData, compared: readonly CaseReport[]): Naming {
  const names = spokenNames(targets);
  const seen = new Set(compared.flatMap(({ headline }) => headline?.comparisons.map((one) => one.target)));
  const own = targets.filter(({ name }) => seen.has(name));
  const distinct = (all: readonly string[]) => [...new Set(all.map((name) => names.get(name) ?? name))];
  return {
    names,
    places: distinct(own.map(({ name }) => name)),
    baselines: listed(distinct(compared.map(({ baseline }) => baseline))),
  };
}

function platformsOf({ targets }: ReportData, { names, places, baselines }: Naming) {
  const platforms = places.map((place): CardPlatform => {
    const first = targets.find(({ name }) => (names.get(name) ?? name) === place);
    return { name: terminalLine(place), colour: LIGHT_PALETTE[first?.colour ?? 0] ?? "" };
  });
  return { platforms, baselines };
}

function rowOf(
  analysis: CaseAnalysis | null,
  { label, under }: Pick<CardRow, "label" | "under">,
  { names, places }: Naming,
  textOf: (ratio: RatioInterval, target: string) => string,
): CardRow {
  const marks = (analysis?.comparisons ?? []).map((comparison): CardMark => {
    const { target, ratio, verdict } = comparison;
    const line = places.indexOf(names.get(target) ?? target);
    const isCold = verdict === "not warm" || ratio === null;
    return { line, verdict, ratio: isCold ? null : ratio, text: isCold ? "not warm" : textOf(ratio, target) };
  });
  return {
    label: terminalLine(label),
    under: under === null ? null : terminalLine(under),
    marks,
  };
}

function medianOf(analysis: CaseAnalysis | null, target: string): number | null {
  return analysis?.summaries.find((one) => one.target === target)?.median ?? null;
}

/** "node 13.7 ms" */
function baselineTime(analysis: CaseAnalysis | null, { names }: Naming): string | null {
  if (analysis === null) return null;
  const { baseline } = analysis;
  return `${names.get(baseline) ?? baseline} ${formatMs(medianOf(analysis, baseline))}`;
}

function factsOf(run: Run): Pick<CardContent, "date" | "machine" | "versions" | "version"> {
  return {
    date: run.startedAt.slice(0, 10),
    machine: terminalLine(placeOf(run)),
    versions: versionLine(run),
    version: terminalLine(run.evenbenchVersion),
  };
}

/** What runs the code, and the frameworks in it. */
function versionLine(run: Pick<Run, "identities">): string {
  const shown = versionsOf(run).filter(({ of }) => of !== "adapter");
  return terminalLine(shown.map(({ name, version }) => `${name} ${version}`).join(" · "));
}

import { terminalLine } from "@evenbench/core";
import type { Run } from "@evenbench/results";
import type { CaseAnalysis } from "@evenbench/stats";
import { caseAnswer } from "../case-answers.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { counted, formatMs, formatRatio, listed } from "../format.ts";
import { LIGHT_PALETTE } from "../html/colour-style.ts";
import { type RatioScale, ratioScale, timeScale } from "../html/scale.ts";
import { shortCommand } from "../repeat.ts";
import { versionsOf } from "../versions.ts";
import { caseLabels, platformNames, workGroups } from "../work.ts";
import type { CardContent, CardLane, CardRow } from "./content.ts";

/** The card of a whole run: a row for each kind of work, on time. */
export function runCard(data: ReportData): CardContent {
  const compared = data.cases.filter(isCompared);
  const labels = caseLabels(data.cases);
  const draw = drawing(data, compared);
  const rows = workGroups(compared).flatMap(({ cases }) =>
    cases.map(({ manifest, kindOfWork, headline }) => {
      const under = labels.get(manifest.id) === kindOfWork ? null : manifest.id;
      return draw.row(headline, kindOfWork, under, (ratio) => ratio);
    }),
  );
  const originals = [...new Set(draw.names.values())];
  return {
    ...draw.frame(timeScale(compared)),
    question: terminalLine(
      `How does the same code run on ${listed(originals)}? ${counted(data.cases.length, "case")}`,
    ),
    answer: terminalLine(data.summary.answer ?? data.summary.compared),
    rows,
    command: shortCommand(data.run),
  };
}

/** The card of one case: time and CPU time. */
export function caseCard(report: CaseReport, data: ReportData): CardContent {
  const { manifest, headline, cpuTime } = report;
  const draw = drawing(data, [report]);
  const rowOf = (analysis: CaseAnalysis | null, label: string) =>
    draw.row(analysis, label, baselineTime(analysis, draw.names), (ratio, ms) => `${formatMs(ms)}, ${ratio}`);
  const rows = [rowOf(headline, "Time"), ...(cpuTime === null ? [] : [rowOf(cpuTime, "CPU time")])];
  const ofCase = Object.entries(data.run.identities).filter(([target]) => report.targets.includes(target));
  const identities = Object.fromEntries(ofCase);
  const alone = { ...data.run.plan, cases: [manifest] };
  return {
    ...draw.frame(ratioScale(report)),
    versions: versionLine({ identities }),
    question: terminalLine(`${manifest.title} (${report.kindOfWork})`),
    answer: terminalLine(caseAnswer(report)),
    rows: isCompared(report) ? rows : [],
    command: shortCommand({ ...data.run, plan: alone }),
  };
}

function isCompared({ headline }: CaseReport): boolean {
  return (headline?.comparisons.length ?? 0) > 0;
}

/** "node 13.7 ms" */
function baselineTime(analysis: CaseAnalysis | null, names: ReadonlyMap<string, string>): string | null {
  const own = analysis?.summaries.find(({ target }) => target === analysis.baseline);
  return own === undefined ? null : `${names.get(own.target) ?? own.target} ${formatMs(own.median)}`;
}

/** What all rows of a card share: platforms by the same name and at the same height. */
function drawing(data: ReportData, compared: readonly CaseReport[]) {
  const names = platformNames(data.targets);
  const nameOf = (target: string) => names.get(target) ?? target;
  const seen = new Set(compared.flatMap(({ headline }) => headline?.comparisons.map((one) => one.target)));
  const own = data.targets.filter(({ name }) => seen.has(name));
  const lanes: readonly CardLane[] = [...Map.groupBy(own, ({ name }) => nameOf(name))].map(
    ([name, [first]]) => ({ name: terminalLine(name), colour: LIGHT_PALETTE[first?.colour ?? 0] ?? "" }),
  );
  const places = [...new Set(own.map(({ name }) => nameOf(name)))];
  const row = (
    analysis: CaseAnalysis | null,
    label: string,
    under: string | null,
    textOf: (ratio: string, ms: number | null) => string,
  ): CardRow => ({
    label: terminalLine(label),
    under: under === null ? null : terminalLine(under),
    noiseFloor: analysis?.noiseFloor ?? null,
    marks: (analysis?.comparisons ?? []).flatMap(({ target, ratio, verdict }) => {
      const ms = analysis?.summaries.find((one) => one.target === target)?.median ?? null;
      const isDifferent = verdict === "faster" || verdict === "slower";
      const lane = places.indexOf(nameOf(target));
      return ratio === null ? [] : [{ lane, ratio, isDifferent, text: textOf(formatRatio(ratio), ms) }];
    }),
  });
  const baselines = listed([...new Set(compared.map(({ baseline }) => nameOf(baseline)))]);
  const frame = (scale: RatioScale) => ({ ...factsOf(data.run), lanes, baselines, scale });
  return { names, row, frame };
}

function factsOf(run: Run): Pick<CardContent, "date" | "machine" | "versions" | "version"> {
  const { cpuModel, cores, system } = run.machine;
  const isLocal = run.plan.targets.every(({ place }) => place === "local");
  const machine = `${isLocal ? "Local run" : "Client"}: ${cpuModel}, ${counted(cores, "core")}, ${system}`;
  return {
    date: run.startedAt.slice(0, 10),
    machine: terminalLine(machine),
    versions: versionLine(run),
    version: terminalLine(run.evenbenchVersion),
  };
}

/** What runs the code, and the frameworks in it. */
function versionLine(run: Pick<Run, "identities">): string {
  const shown = versionsOf(run).filter(({ of }) => of !== "adapter");
  return terminalLine(shown.map(({ name, version }) => `${name} ${version}`).join(" · "));
}

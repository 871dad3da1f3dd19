import {
  colourMark,
  counted,
  html,
  htmlTable,
  type Markup,
  markedChange,
  type TableCell,
} from "@evenbench/page";
import type { RunSummary, SummaryRow } from "@evenbench/results";
import { isDecided, isJudged } from "@evenbench/stats";
import type { Contribution } from "./contributed.ts";
import type { CaseHistory, History, TargetHistory } from "./histories.ts";

/** The findings of one machine, wherever its numbers come from. */
interface Machine {
  /** Processor and cores, as its own runs say them. */
  readonly name: string;
  /** Day of its newest run, in UTC. */
  readonly day: string;
  readonly runId: string;
  /** True where its owner sent a summary: there is no report of it. */
  readonly isContributed: boolean;
  /** The judged comparisons of its newest runs, by case and target. */
  readonly found: ReadonlyMap<string, Pick<SummaryRow, "ratio" | "verdict">>;
}

function comparisonKeyOf(caseId: string, target: string): string {
  return JSON.stringify([caseId, target]);
}

/** "AMD EPYC, 2 shared cores" of the words for a local run's place. */
function machineName(place: string): string {
  return place.replace(/^.*?: one machine, /, "");
}

function machineOfHistory({ place, runs, cases }: History): Machine | null {
  const newest = runs.at(-1)?.run;
  if (newest === undefined || !place.startsWith("Local run")) {
    return null;
  }
  const found = cases.flatMap(({ id, time }) =>
    time.flatMap(({ target, current }) =>
      current !== null && isJudged(current.verdict) ? [[comparisonKeyOf(id, target), current] as const] : [],
    ),
  );
  return {
    name: machineName(place),
    day: newest.startedAt.slice(0, 10),
    runId: newest.id,
    isContributed: false,
    found: new Map(found),
  };
}

function machineOfSummary({ place, startedAt, runId, rows }: RunSummary): Machine {
  const found = rows.flatMap((row) =>
    row.headline && isJudged(row.verdict) ? [[comparisonKeyOf(row.caseId, row.target), row] as const] : [],
  );
  return {
    name: machineName(place),
    day: startedAt.slice(0, 10),
    runId,
    isContributed: true,
    found: new Map(found),
  };
}

/** Each machine once: its own runs first, and of contributed ones the newest. */
function machinesOf(
  histories: readonly History[],
  contributions: readonly Contribution[],
): readonly Machine[] {
  const all = [
    ...histories.flatMap((history) => machineOfHistory(history) ?? []),
    ...contributions.map(({ summary }) => machineOfSummary(summary)),
  ];
  const byName = all.toReversed().map((machine) => [comparableName(machine.name), machine] as const);
  return [...new Map(byName).values()].toReversed();
}

/** A machine's name without what readers do not see: who counts as another machine must look like another one. */
function comparableName(name: string): string {
  return name.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();
}

/** Says how many machines agree with the first one, in a row for each case and platform; null for one machine. */
export function agreementSection(
  histories: readonly History[],
  contributions: readonly Contribution[],
): Markup | null {
  const machines = machinesOf(histories, contributions);
  const [main] = histories;
  if (machines.length < 2 || main === undefined) {
    return null;
  }
  const rows = main.cases.flatMap((ofCase) =>
    ofCase.time.flatMap((targetHistory) => {
      const row = agreementRow(ofCase, targetHistory, machines);
      return row === null ? [] : [row];
    }),
  );
  const head = ["Case", "Platform", "Here", "Machines that agree"];
  const list = machines.map(
    ({ name, day, runId, isContributed }) =>
      html`<li>${name}, ${day} <small>run ${runId}${isContributed ? ", contributed" : null}</small></li>`,
  );
  return html`<section aria-labelledby="elsewhere"><h2 id="elsewhere">Does it hold elsewhere?</h2>
<p class="lead">${counted(machines.length, "machine")}. One agrees where it gives the same verdict; what it left open neither agrees nor disagrees. Contributed numbers are what their owners sent.</p>
${rows.length === 0 ? html`<p>No comparison here is decided.</p>` : htmlTable("Agreement of machines", { head, rows })}
<ul class="changes">${list}</ul></section>`;
}

/** null where the comparison is not decided here. */
function agreementRow(
  { id, title }: CaseHistory,
  { target, name, colour, current }: TargetHistory,
  machines: readonly Machine[],
): readonly TableCell[] | null {
  if (current === null || !isDecided(current.verdict)) {
    return null;
  }
  const verdicts = machines.flatMap(({ found }) => found.get(comparisonKeyOf(id, target))?.verdict ?? []);
  const agreeing = verdicts.filter((verdict) => verdict === current.verdict).length;
  const open = verdicts.filter((verdict) => !isDecided(verdict)).length;
  const others = verdicts.length - agreeing - open;
  const words = [
    `${agreeing} of ${verdicts.length}`,
    ...(open === 0 ? [] : [`${open} open`]),
    ...(others === 0 ? [] : [`${others} found otherwise`]),
  ];
  return [title, { text: name, html: colourMark(name, colour) }, markedChange(current), words.join(", ")];
}

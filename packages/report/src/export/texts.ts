import { UserError } from "@evenbench/core";
import type { Run, RunMachine, RunSummary, SummaryRow } from "@evenbench/results";
import { isDifference } from "@evenbench/stats";
import type { SummarisedRun } from "../analyse-run.ts";
import type { ReportData } from "../data.ts";
import { saysNothing, TOO_FEW_TRIALS } from "../format.ts";
import { byPlatform, CARD_FILE, placeOf, shownTargets, trialsWords, whatRan } from "../names.ts";
import { shortCommand } from "../repeat.ts";
import { type Cell, escaped, markdownTable } from "../table.ts";

interface Compared {
  readonly title: string;
  readonly targets: ReadonlySet<string>;
}

export function resultsTable({ run, summary }: SummarisedRun): string {
  const compared = comparedIn(run, summary);
  const { machine } = run;
  if (machine === null)
    throw new UserError(
      "This run was measured from several vantages: it has differences in milliseconds and no pooled ratio. Read its report.md.",
    );
  if (compared.length === 0)
    throw new UserError(
      "This run compared nothing, so it has no table of ratios. Measure two targets or more.",
    );
  const hasCpu = summary.rows.some(({ metric }) => metric === "cpuMs");
  const head = compared.flatMap(({ title }) => [`${title}, time`, ...(hasCpu ? [`${title}, CPU time`] : [])]);
  const notSame = new Set(
    run.plan.cases.filter(({ notSameCode }) => notSameCode !== null).map(({ id }) => id),
  );
  const body = [...Map.groupBy(summary.rows, ({ caseId }) => caseId)].map(([caseId, rows]) => [
    `${caseId}${notSame.has(caseId) ? " *" : ""}`,
    ...compared.flatMap(({ targets }) => {
      const own = rows.filter(({ target }) => targets.has(target));
      const time = own.find(({ headline }) => headline);
      const cpu = own.find(({ metric }) => metric === "cpuMs");
      return hasCpu ? [ratioCell(time), ratioCell(cpu)] : [ratioCell(time)];
    }),
  ]);
  const remark = notSame.size === 0 ? "" : " \\* Not the same code on all platforms.";
  const unproven = summary.unproven === undefined ? "" : ` ${escaped(summary.unproven)}`;
  return `${markdownTable({ head: ["case", ...head], rows: body }).join("\n")}\n\n${machineLine(run, machine)}${remark}${unproven}`;
}

function comparedIn({ plan }: Run, { rows }: RunSummary): readonly Compared[] {
  const baselines = new Set(rows.map(({ baseline }) => baseline));
  const others = shownTargets(plan.targets).filter(
    ({ name, copyOf }) => copyOf === null && !baselines.has(name),
  );
  return [...Map.groupBy(others.toSorted(byPlatform), ({ shown }) => shown)].map(([name, targets]) => ({
    title: (name === targets[0]?.platform ? targets[0].about?.shortTitle : null) ?? name,
    targets: new Set(targets.map((target) => target.name)),
  }));
}

function ratioCell(row: SummaryRow | undefined): Cell {
  // Who pastes the table takes a number for a result.
  if (row?.verdict === "not warm") return "not warm";
  if (row?.ratio == null) return "–";
  const { estimate, low, high } = row.ratio;
  if (saysNothing(row.ratio)) return TOO_FEW_TRIALS;
  const text = `${estimate.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
  return { text, strong: isDifference(row.verdict) };
}

function machineLine({ startedAt, status, plan }: Run, machine: RunMachine): string {
  const where = plan.targets.every(({ place }) => place === "local") ? "A local run" : "A run";
  const whole = status === "complete" ? "" : " that did not end";
  const cores = `${machine.cores} ${machine.coresApart === null ? "shared " : ""}cores`;
  const facts = [escaped(machine.cpuModel), cores, `Node.js ${machine.clientNode.replace(/^v/, "")}`];
  return `${where}${whole} on ${startedAt.slice(0, 10)}: ${facts.join(", ")}.`;
}

export function shareText({ run, summary, warnings, cases }: ReportData): string {
  const { plan } = run;
  const isLocal = plan.targets.every(({ place }) => place === "local");
  const headlines = cases.flatMap(({ headline }) => headline ?? []);
  const isWarm = headlines.some(({ comparisons }) => comparisons.some((one) => one.verdict !== "not warm"));
  const facts = [
    ...[trialsWords(cases)].filter((words) => words !== null),
    ...(isWarm ? ["warm code"] : []),
    ...(isLocal ? ["no network"] : []),
  ];
  const notices =
    warnings.length === 0
      ? ""
      : ` Notices: ${warnings.map(({ title }) => title.replaceAll(";", ",")).join("; ")}.`;
  const lines = [
    ...summary.sentences,
    "",
    `Picture: ${CARD_FILE} in the run's folder`,
    `${[placeOf(run), facts.join(", ")].filter(Boolean).join("; ")}.${notices}`,
    ...(whatRan(run) === "" ? [] : [`${whatRan(run)}.`]),
    "",
    shortCommand(run),
    `Evenbench ${run.evenbenchVersion}, run ${run.id}`,
  ];
  return lines.join("\n");
}

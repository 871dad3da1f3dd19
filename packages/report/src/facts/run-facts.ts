// Which run it was, where, and how it was asked for.
import { basename } from "node:path";
import { type CaseManifest, OWN_SERVER_APP, sourceOfCase } from "@evenbench/core";
import type { Run, RunMachine } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import type { AnalysedRun } from "../analyse-run.ts";
import type { AnalysedCase } from "../analysed-case.ts";
import type { AppFacts, CaseFacts, Change, MachineFacts, RunFacts, TargetFacts } from "./facts.ts";

/** Gives the facts of a run as a whole. */
export function runFacts({ run, cases }: Pick<AnalysedRun, "run" | "cases">): RunFacts {
  const { plan, source } = run;
  const trials = cases.map(({ spent }) => spent.trials.length);
  return {
    ...headFacts(run),
    tookMs: run.vantages === undefined ? tookMs(run) : null,
    measuringMs: sum(cases.map(({ spent }) => spent.measuringMs)),
    warmUpMs: sum(cases.map(({ spent }) => spent.warmUpMs)),
    quick: plan.quick === true,
    trials: trialFacts(trials, plan.trials.maximum),
    of: whatOf(run),
    from: whereFrom(run),
    commit: source === null || source.changed ? null : source.commit,
    repository: source?.repository ?? null,
  };
}

/** The part of a record that runs and loads have. */
interface RecordHead
  extends Pick<Run, "id" | "startedAt" | "finishedAt" | "status" | "command" | "settings">,
    Pick<Run, "evenbenchVersion" | "machine"> {
  readonly plan: Pick<Run["plan"], "seed">;
}

/** Gives what the record of a run and of a load says alike. */
export function headFacts(record: RecordHead) {
  const { id, startedAt, status, command = null, settings = null, plan, machine, evenbenchVersion } = record;
  return {
    id,
    startedAt,
    tookMs: tookMs(record),
    status,
    command,
    settings,
    seed: plan.seed,
    machine: machine === null ? null : machineFacts(machine),
    evenbench: evenbenchVersion,
    parts: [],
    judgedFrom: "samples" as const,
  };
}

/** Gives how many trials cases had. @param planned how many they could have had. */
export function trialFacts(trials: readonly number[], planned: number): RunFacts["trials"] {
  return {
    fewest: Math.min(...(trials.length === 0 ? [0] : trials)),
    most: Math.max(0, ...trials),
    planned,
  };
}

/** Gives how long a measurement took; null while it goes on, and where its clock was set back. */
function tookMs({ startedAt, finishedAt }: Pick<Run, "startedAt" | "finishedAt">): number | null {
  if (finishedAt === null) {
    return null;
  }
  const ms = Date.parse(finishedAt) - Date.parse(startedAt);
  return ms < 0 ? null : ms;
}

function whatOf({ plan }: Run): RunFacts["of"] {
  if (plan.targets.some(({ state }) => state !== undefined)) {
    return "states";
  }
  if (plan.ownApp !== undefined) {
    return "app";
  }
  return plan.targets.some(({ app }) => app === OWN_SERVER_APP) ? "servers" : "cases";
}

/** Says where a run or a load was measured from. */
export function whereFrom(record: PlacedRecord): RunFacts["from"] {
  if (record.vantages !== undefined || record.machine === null) {
    return "places";
  }
  return isLocalRun(record) ? "local" : "network";
}

interface PlacedRecord extends Pick<Run, "machine" | "vantages"> {
  readonly plan: { readonly targets: readonly { readonly url: string | null }[] };
}

/** Tells whether client and servers were one machine. */
export function isLocalRun({ plan, machine }: PlacedRecord): boolean {
  return machine !== null && plan.targets.every(({ url }) => url === null || isHere(url));
}

function isHere(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** Gives the facts of a machine. */
export function machineFacts(machine: RunMachine): MachineFacts {
  const { cores, limits } = machine;
  return {
    processor: processorName(machine),
    cores,
    usableCores: Math.min(cores, limits?.usableCores ?? cores, limits?.coreQuota ?? cores),
    memoryBytes: Math.min(machine.memoryBytes, limits?.memoryBytes ?? machine.memoryBytes),
    system: machine.system,
    coresApart: machine.coresApart !== null,
  };
}

/** A processor's name without its maker's signs: "Intel Xeon 2.50GHz" of "Intel(R) Xeon(R) Processor @ 2.50GHz". */
function processorName({ cpuModel }: Pick<RunMachine, "cpuModel">): string {
  return cpuModel
    .replace(/\((?:R|TM)\)/g, "")
    .replace(/ (?:CPU|Processor)\b/g, "")
    .replace(" @ ", " ")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Orders cases by the effect on the first column that is compared: the largest saving first. Cases without one keep their
 * order, behind the others.
 *
 * @param idOf gives the id of a case.
 * @param targets of the changes, in their order.
 */
export function byEffect<Case>(
  cases: readonly Case[],
  idOf: (each: Case) => string,
  changes: readonly Change[],
  targets: readonly Pick<TargetFacts, "name" | "column">[],
): readonly Case[] {
  const main = changes.filter(({ role, metric }) => role === "main" && metric === "lastByteMs");
  const first = targets.find(({ name }) => main.some(({ target }) => target === name))?.column;
  const names = targets.filter(({ column }) => column === first).map(({ name }) => name);
  const ofFirst = main.filter(({ target }) => names.includes(target));
  const effectOf = (each: Case): number =>
    ofFirst.find((change) => change.case === idOf(each))?.estimate ?? Number.POSITIVE_INFINITY;
  return cases.toSorted((a, b) => (effectOf(a) === effectOf(b) ? 0 : effectOf(a) - effectOf(b)));
}

/** Gives the facts of a case. */
export function caseFacts(
  report: Pick<AnalysedCase, "manifest" | "baseline" | "targets" | "kindOfWork" | "partTimes">,
  run: Run,
): CaseFacts {
  const { manifest, baseline, targets, kindOfWork } = report;
  const app = run.plan.targets.find(({ name }) => targets.includes(name))?.app ?? "";
  const hasParts = report.partTimes.length > 0;
  return {
    ...manifestFacts(manifest, app),
    kindOfWork,
    streams: manifest.page?.streams === true || hasParts,
    baseline: whatOf(run) === "states" ? null : baseline,
    bodiesVary: bodiesVary(run, manifest.id),
  };
}

/** Gives what the manifest of a case says of it. */
export function manifestFacts(manifest: CaseManifest, app: string) {
  const { id, title, description, path, source, notSameCode } = manifest;
  const isOwn = app === OWN_SERVER_APP;
  return {
    id,
    title,
    description,
    path: isOwn ? path : null,
    app,
    source: isOwn ? null : (source ?? sourceOfCase(app, id)),
    notSameCode,
  };
}

/** Gives how answers of a case differ once what a framework generates is normalised, as preflight said it. */
function bodiesVary({ events }: Run, caseId: string): string | null {
  const found = events.filter((event) => event.kind === "body-varies" && event.caseId === caseId);
  return found.length === 0 ? null : found.map(({ detail }) => detail).join(" ");
}

/** Gives what is known of an own app; null where the run has none. */
export function appFacts({ plan }: Run): AppFacts | null {
  const { ownApp } = plan;
  if (ownApp === undefined) {
    return null;
  }
  const { folder, title, read, simulated } = ownApp;
  return { folder: basename(folder), framework: title, read, simulated };
}

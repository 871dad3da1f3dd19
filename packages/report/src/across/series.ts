import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type CaseManifest, formatDuration, type Golden } from "@evenbench/core";
import { listed } from "@evenbench/page";
import {
  COMPARED_SETTINGS,
  ResultsError,
  RUN_FILE,
  type Run,
  type SummaryRow,
  systemReason,
} from "@evenbench/results";
import { runtimeVersions } from "../names.ts";
import type { SummarisedRun } from "../summarised.ts";

/** Options of whatever looks at several runs. */
export interface AcrossOptions {
  /** True where damaged, unfinished and unequal runs are judged, too. */
  readonly anyway?: boolean;
}

/**
 * Lists the folders of runs in a results folder, in no order of time: a folder may have any name. Experiments
 * and loads have folders beside those of runs.
 */
export async function runsIn(results: string): Promise<readonly string[]> {
  const names = await readdir(results).catch((error) => {
    throw new ResultsError(`${results} cannot be read (${systemReason(error)}). Give a results folder.`);
  });
  const folders = names.sort().map((name) => join(results, name));
  return folders.filter((folder) => existsSync(join(folder, RUN_FILE)));
}

/** The runs that could be read of some folders. */
export interface ReadRuns<Read> {
  /** Runs by the time of their starts, oldest first. */
  readonly runs: readonly Read[];
  /** Folders that were left out, and why: a sentence each. */
  readonly skipped: readonly string[];
}

/** Reads runs and puts them in order of time. Those that cannot be read are left out, with the reason. */
export async function readEach<Read extends { readonly run: Pick<Run, "startedAt"> }>(
  folders: readonly string[],
  read: (folder: string) => Promise<Read>,
): Promise<ReadRuns<Read>> {
  const runs: Read[] = [];
  const skipped: string[] = [];
  for (const folder of folders) {
    try {
      runs.push(await read(folder));
    } catch (error) {
      if (!(error instanceof ResultsError)) {
        throw error;
      }
      skipped.push(`${basename(folder)}: ${error.message}`);
    }
  }
  const start = ({ run }: Read): number => Date.parse(run.startedAt);
  return { runs: runs.sort((a, b) => start(a) - start(b)), skipped };
}

/** The results of one target in one case of one run. */
interface Point {
  /** Index of the run in its series of runs, oldest first. */
  readonly index: number;
  readonly run: Run;
  readonly row: SummaryRow;
}

/** The results of one target in one case, over a series of runs. */
export interface MeasuredSeries {
  readonly caseId: string;
  /** The target's name, as runs record it. */
  readonly target: string;
  /** Results of the newest run that has any. */
  readonly newest: Point;
  /** Results of all runs that have any, oldest first. */
  readonly points: readonly Point[];
}

/**
 * Collects the results of each target in each case, in the order of the newest run.
 *
 * @param runs a series of runs, oldest first.
 * @param matches whether a row of a summary is of the metric that is asked for.
 */
export function historyByTarget(
  runs: readonly SummarisedRun[],
  matches: (row: SummaryRow) => boolean,
): readonly MeasuredSeries[] {
  const newestFirst = runs
    .map(({ run, summary }, index) => summary.rows.filter(matches).map((row): Point => ({ index, run, row })))
    .toReversed()
    .flat();
  const byTarget = Map.groupBy(newestFirst, ({ row }) => JSON.stringify([row.caseId, row.target]));
  return [...byTarget.values()].map((points) => {
    const [newest] = points as [Point];
    return { caseId: newest.row.caseId, target: newest.row.target, newest, points: points.toReversed() };
  });
}

/** Tells whether a row is of its case's headline, and has a time. */
export function isTime({ headline, medianMs }: SummaryRow): boolean {
  return headline && medianMs !== null;
}

/** Tells whether a row is of CPU time, and has one. */
export function isCpuTime({ metric, medianMs }: SummaryRow): boolean {
  return metric === "cpuMs" && medianMs !== null;
}

/** A target's time in a case in milliseconds, with the ends of its 99 % interval: null with fewer than two trials. */
export interface MedianTime {
  readonly estimate: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Gives the time of a row with its interval. The estimate is NaN where the row has no time. */
export function medianTimeOf({ medianMs, medianLowMs, medianHighMs }: SummaryRow): MedianTime {
  return { estimate: medianMs ?? Number.NaN, low: medianLowMs, high: medianHighMs };
}

/** Facts about a run by their name, as texts. */
export type Facts = ReadonlyMap<string, string>;

/** Lists the facts that may change from one run to the next on one machine. */
export function versionFacts(run: Run): Facts {
  return new Map([
    ...runtimeVersions(run).map(({ name, version }) => [name, version] as const),
    ...(run.machine === null ? [] : [["system", run.machine.system] as const]),
    ["Evenbench", run.evenbenchVersion],
  ]);
}

/** Lists the facts that both runs have and that differ. @param say puts a difference into words. */
export function unlike(
  before: Facts,
  after: Facts,
  say: (name: string, then: string, now: string) => string,
): readonly string[] {
  return [...after].flatMap(([name, now]) => {
    const then = before.get(name) ?? now;
    return then === now ? [] : [say(name, then, now)];
  });
}

/** The objection to a run of several vantages. */
const SEVERAL_ROUTES =
  "It was measured from several vantages, and their routes are in its times: read its own report.";
/** The objection to a run by its status; null where nothing speaks against it. */
const UNFINISHED: Readonly<Record<Run["status"], string | null>> = {
  complete: null,
  running: "It did not finish, or still runs.",
  interrupted: "It was interrupted.",
  failed: "It failed: it ended before all of its plan was measured.",
};

/**
 * Says why a run is not to be compared with others, a sentence for each reason; empty where nothing speaks
 * against it.
 *
 * @param damage what could not be read of it, as a sentence; null: all could.
 */
export function objectionsTo({ vantages, status }: Run, damage: string | null = null): readonly string[] {
  const found = [damage, vantages === undefined ? null : SEVERAL_ROUTES, UNFINISHED[status]];
  return found.filter((objection) => objection !== null);
}

/**
 * Ratio of two time limits from which on they differ: limits come from what preflight saw, by which runs of one
 * command differ.
 */
const MOST_TIME_APART = 1.25;

/**
 * Says why the times of a case in two runs cannot be held against one another: a sentence each; empty where they can.
 */
export function unequal(caseId: string, before: Run, after: Run): readonly string[] {
  const plans = unlike(
    plannedFacts(before),
    plannedFacts(after),
    (what, then, now) => `${what} differ: ${then} in ${before.id}, ${now} in ${after.id}.`,
  );
  const smokeTests = [before, after].flatMap(({ id, plan }) =>
    plan.quick === true ? [`${id} is a smoke test (--quick), in which hardly anything was warmed up.`] : [],
  );
  const objections = [...new Set(smokeTests), ...plans, ...otherWork(caseId, before, after)];
  const then = before.plan.caseLimitMs[caseId] ?? 0;
  const now = after.plan.caseLimitMs[caseId] ?? 0;
  if (Math.max(then, now) <= MOST_TIME_APART * Math.min(then, now)) {
    return objections;
  }
  const timeOf = (ms: number) => (ms === 0 ? "no time of its own" : formatDuration(ms));
  return [...objections, `${caseId} had ${timeOf(then)} in ${before.id}, and ${timeOf(now)} in ${after.id}.`];
}

/** Says where a case is other work in two runs, as sentences: a ratio of that says nothing of speed. */
function otherWork(caseId: string, before: Run, after: Run): readonly string[] {
  const then = before.plan.cases.find(({ id }) => id === caseId);
  const now = after.plan.cases.find(({ id }) => id === caseId);
  if (then === undefined || now === undefined) {
    return [];
  }
  const isOf = `in ${before.id} and in ${after.id}`;
  const found: string[] = [];
  if (then.path !== now.path) {
    found.push(`${caseId} has another path ${isOf}: ${then.path}, ${now.path}.`);
  }
  if (sentBy(then) !== sentBy(now)) {
    found.push(`${caseId} is another request ${isOf}.`);
  }
  if (then.golden !== null && now.golden !== null && isOtherAnswer(then.golden, now.golden)) {
    found.push(`${caseId} had another answer to give ${isOf}: it is other work.`);
  }
  return found;
}

/** Writes a request so that the same one is the same text, also where its body comes from a file of another name. */
function sentBy({ request }: CaseManifest): string {
  const body = request?.body?.sha256 ?? null;
  return JSON.stringify([request?.method ?? "GET", request?.headers ?? [], body]);
}

/** Tells whether two answers are different ones. */
function isOtherAnswer(then: Golden, now: Golden): boolean {
  return then.status !== now.status || then.bytes !== now.bytes || then.sha256 !== now.sha256;
}

/**
 * Lists the facts that have to be equal in two plans: those that can be chosen (their table has them), and
 * those that only experiments change.
 */
function plannedFacts({ plan }: Run): Facts {
  const { pauseMs } = plan;
  return new Map([
    ["The targets of a round", listed(plan.targets.map(({ name }) => name).sort())],
    ...COMPARED_SETTINGS.map(({ name, describe }) => [name, describe(plan)] as const),
    ["Requests in a row", String(plan.spacing)],
    ["Pauses", pauseMs === 0 ? "none" : formatDuration(pauseMs)],
  ]);
}

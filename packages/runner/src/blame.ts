import { existsSync, readFileSync } from "node:fs";
import type { CaseManifest, Host, Reason } from "@evenbench/core";
import { quoteLog } from "@evenbench/host";
import {
  formatPreflight,
  type PreflightProblem,
  type PreflightResult,
  UNANSWERED,
} from "@evenbench/probe/preflight";
import { describeDeath, type InstanceSettings, logFileIn } from "./instance.ts";
import type { Target, Unmeasurable } from "./options.ts";

/**
 * Collects how the hosts of targets ended that no longer answer, by the target's name. A server that left the
 * foreground looks like one that is down.
 */
export async function deathsOf(
  targets: readonly Target[],
  hosts: readonly (Host | null)[],
  { problems }: PreflightResult,
): Promise<ReadonlyMap<string, Reason>> {
  const unanswered = problems.filter(({ kind }) => UNANSWERED.includes(kind));
  const down = unanswered.flatMap(({ values }) => Object.keys(values));
  const deaths = new Map<string, Reason>();
  for (const [index, { name }] of targets.entries()) {
    const host = hosts[index] ?? null;
    if (host === null || !down.includes(name)) {
      continue;
    }
    const how = await describeDeath(host);
    if (how !== null) {
      deaths.set(name, how);
    }
  }
  return deaths;
}

/** Targets, where their logs are, and how those ended that did, by the target's name. */
export interface Blame {
  readonly targets: readonly Target[];
  readonly settings: Pick<InstanceSettings, "logFolder">;
  readonly deaths: ReadonlyMap<string, Reason>;
}

/** Says why nothing is measured: how servers died, the logs of those to blame, and all problems. */
export async function whyNothingIsMeasured(found: PreflightResult, blame: Blame): Promise<Reason> {
  const explained = await explainThrown(found, logFilesOf(blame));
  return blamed(found.problems, formatPreflight(explained), blame);
}

/** Number of lines of a log that say why a part is left out: the error, and where it was thrown. */
const LINES_OF_PART = 6;

/** Says why a part of what was asked is left out: how servers died, the problems, and the end of the logs of those to blame. */
export function whyLeftOut(problems: readonly PreflightProblem[], blame: Blame): Reason {
  return blamed(problems, problems.map(({ what }) => what).join(" "), blame, LINES_OF_PART);
}

/** Kinds of problems that a target has by itself, whatever the others answer. */
const OF_ONE_TARGET: readonly PreflightProblem["kind"][] = ["status", "redirect", "encoding", ...UNANSWERED];

/**
 * Finds what has to be left out for the rest to be measured, each with its own problems: a target that has one in every
 * case, or does not end a second case; else the cases with problems. Nothing where a problem is about no case.
 *
 * @param lost targets that did not end a case before, with its id; those that did not now are added.
 */
export function unmeasurableOf(
  { problems }: Pick<PreflightResult, "problems">,
  cases: readonly CaseManifest[],
  blame: Blame,
  lost: Map<string, string>,
): Pick<Unmeasurable, "targets" | "cases"> {
  if (problems.some(({ caseId }) => caseId === null)) {
    return { targets: new Map(), cases: new Map() };
  }
  const ofTarget = ({ name }: Target) =>
    problems.filter(({ kind, values }) => OF_ONE_TARGET.includes(kind) && values[name] !== undefined);
  const unfinished = problems.filter(({ kind }) => kind === "unfinished");
  const late = new Map(
    unfinished.flatMap(({ caseId, values }) => Object.keys(values).map((name) => [name, caseId ?? ""])),
  );
  const failing = blame.targets.filter(
    (target) =>
      (lost.has(target.name) && late.has(target.name)) ||
      cases.every(({ id }) => ofTarget(target).some(({ caseId }) => caseId === id)),
  );
  for (const [name, caseId] of late) {
    lost.set(name, caseId);
  }
  if (failing.length > 0) {
    const why = (target: Target) => whyLeftOut(ofTarget(target), { ...blame, targets: [target] });
    return { targets: new Map(failing.map((target) => [target.name, why(target)])), cases: new Map() };
  }
  const ids = new Set(problems.flatMap(({ caseId }) => caseId ?? []));
  const ofCase = (id: string) => problems.filter(({ caseId }) => caseId === id);
  return { targets: new Map(), cases: new Map([...ids].map((id) => [id, whyLeftOut(ofCase(id), blame)])) };
}

/** @param lines as for `quoteBlamedLogs`. */
function blamed(problems: readonly PreflightProblem[], words: string, blame: Blame, lines?: number): Reason {
  const deaths = [...blame.deaths.values()];
  return {
    message: [...deaths.map(({ message }) => message), words].join("\n"),
    quotes: [
      ...deaths.flatMap(({ quotes }) => quotes),
      ...quoteBlamedLogs(problems, logsOfLiving(blame), lines),
    ],
  };
}

/** Gives the absolute paths of the logs of local targets, by name. */
function logFilesOf({ targets, settings }: Blame): ReadonlyMap<string, string> {
  const local = targets.filter(({ place }) => place === "local");
  return new Map(local.map(({ name }) => [name, logFileIn(settings.logFolder, name)]));
}

/** Gives those of targets that did not end: how a host ended has the end of its log. */
function logsOfLiving(blame: Blame): ReadonlyMap<string, string> {
  return new Map([...logFilesOf(blame)].filter(([name]) => !blame.deaths.has(name)));
}

/**
 * Adds to each problem of a case that threw what it threw, and where.
 *
 * @param logFiles the targets' logs by target name, which have the stacks.
 * @returns the same result with the error's first line and its place in the sources, such as
 *   "packages/cases/x/case.ts:19".
 */
export async function explainThrown(
  result: PreflightResult,
  logFiles: ReadonlyMap<string, string>,
): Promise<PreflightResult> {
  const problems: PreflightProblem[] = [];
  for (const found of result.problems) {
    const stack = found.kind === "threw" ? stackIn(found, logFiles) : null;
    if (stack === null || found.caseId === null) {
      problems.push(found);
      continue;
    }
    const message = stack.split("\n", 1)[0]?.trim();
    const place = await placeOfStack(stack, found.caseId);
    const where = place === null ? "" : ` (${place})`;
    problems.push({ ...found, what: `${found.what.replace(/\.$/, "")}: ${message}${where}` });
  }
  return { ...result, problems };
}

/** A frame in a case's built module, as all runtimes name it: ".../cases/math.mjs:12:34". */
const FRAME_OF_CASE = /[/\\]cases[/\\]([a-z0-9-]+)\.mjs:(\d+):(\d+)/g;

/**
 * @returns the place in the sources of the innermost frame that is the case's own; null where no frame is.
 */
async function placeOfStack(stack: string, caseId: string): Promise<string | null> {
  const frame = [...stack.matchAll(FRAME_OF_CASE)].find((match) => match[1] === caseId);
  if (frame === undefined) {
    return null;
  }
  // Only the repository's cases have stacks of this form: whoever measures servers of their own needs no
  // bundler.
  const { placeInSources } = await import("@evenbench/bundle");
  return placeInSources(caseId, Number(frame[2]), Number(frame[3]));
}

/**
 * @returns message and frames of what a case threw, from the log of one of the problem's targets; null where
 *   no log has it.
 */
function stackIn({ caseId, values }: PreflightProblem, logFiles: ReadonlyMap<string, string>): string | null {
  const stack = new RegExp(`evenbench: case "${caseId}" threw in instance [0-9a-f]+: (.+(?:\\n +at .+)*)`);
  for (const name of Object.keys(values)) {
    const logFile = logFiles.get(name);
    if (logFile === undefined || !existsSync(logFile)) {
      continue;
    }
    const thrown = stack.exec(readFileSync(logFile, "utf8"))?.[1];
    if (thrown !== undefined) {
      return thrown;
    }
  }
  return null;
}

/**
 * Quotes the logs of the targets that are down, or that answer with an error of their own: a log says why.
 *
 * @param logFiles absolute paths, by name of the target.
 * @param lines number of last lines of each. Default: as `quoteLog` has it.
 */
export function quoteBlamedLogs(
  problems: readonly PreflightProblem[],
  logFiles: ReadonlyMap<string, string>,
  lines?: number,
): string[] {
  const blamed = new Set(problems.flatMap(namesBlamed));
  return [...logFiles].filter(([name]) => blamed.has(name)).map(([, logFile]) => quoteLog(logFile, 0, lines));
}

/** Names the targets whose logs say more about a problem. */
function namesBlamed({ kind, values }: PreflightProblem): string[] {
  if (UNANSWERED.includes(kind)) {
    return Object.keys(values);
  }
  // All have thrown the same.
  if (kind === "threw") {
    return Object.keys(values).slice(0, 1);
  }
  if (kind !== "status") {
    return [];
  }
  return Object.keys(values).filter((name) => name !== "expected" && values[name]?.startsWith("HTTP 5"));
}

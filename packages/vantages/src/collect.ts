import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { UsageError, UserError } from "@evenbench/core";
import { type ClientLog, fatal, incomplete, type Problem, readLogs } from "@evenbench/load/k6";
import { createRunFolder, type Run, type RunEvent } from "@evenbench/results";
import { largest, smallest, sum } from "@evenbench/stats";
import { LOGS_FOLDER, unmeasuredMs, type VantagePlan } from "./plan.ts";
import { linesOfNoPlan } from "./planned-lines.ts";

/** The logs that are collected, and the place of their run. */
export interface CollectTerms<P = VantagePlan> {
  /** The plan that clients played. */
  readonly plan: P;
  /** The SHA-256 of the plan's file, which logs must name. */
  readonly hash: string;
  /** Paths of the files that clients wrote. */
  readonly logs: readonly string[];
  /** Path of the results folder. */
  readonly out: string;
  /** True where logs that are not whole, or mix versions of HTTP, make a run that says so. Default: false. */
  readonly anyway?: boolean;
}

/** A run that was made of logs. */
export interface Collected<R> {
  /** Path of its folder. */
  readonly folder: string;
  /** The record. */
  readonly run: R;
  /** Parts that are missing, or were played in another way: a sentence each. */
  readonly problems: readonly string[];
  /** Number of measured requests that were answered as they should be. */
  readonly counted: number;
}

/** Lists the logs that `vantages run` left in a plan's folder, by name. @throws {UsageError} where there are none. */
export async function logsOf(folder: string): Promise<readonly string[]> {
  const logs = join(folder, LOGS_FOLDER);
  const names = await readdir(logs).catch(() => []);
  if (names.length === 0) {
    throw new UsageError(`There is no log in ${logs}. Name the files that clients wrote.`);
  }
  return names.sort().map((name) => join(logs, name));
}

/** A run or a load whose folder is there. */
interface BegunRun {
  /** Path of the folder. */
  readonly folder: string;
  readonly logs: readonly ClientLog[];
  /** The fields that records of runs and of loads both have. */
  readonly head: RunHead;
  /** Parts that are missing, or were played in another way: a sentence each. */
  readonly problems: readonly string[];
}

/** The fields that records of runs and of loads both have. */
type RunHead = Pick<
  Run,
  | "schemaVersion"
  | "id"
  | "startedAt"
  | "status"
  | "events"
  | "evenbenchVersion"
  | "command"
  | "settings"
  | "identities"
>;

/** Reads and checks the logs, and then makes the folder. @throws {UserError} where logs are refused. */
export async function beginRun({
  plan,
  hash,
  logs: files,
  out,
  anyway = false,
}: CollectTerms): Promise<BegunRun> {
  if (files.length === 0) {
    throw new UserError("There is no log to collect. Name the files that clients wrote.");
  }
  const { clients, problems: ofLogs } = await readLogs(files);
  const ofOthers = ofOtherPlans(clients, hash);
  // Where a log is of another plan, its lines say nothing about this one.
  const ofNone = ofOthers.length > 0 ? [] : linesOfNoPlan(clients, plan);
  const problems = [...ofOthers, ...ofNone, ...ofLogs, ...wrongParts(clients, plan)];
  refuseProblems(problems, anyway);
  const startedAt = clients.map(({ begin }) => begin.startedAt).sort()[0];
  if (startedAt === undefined) {
    throw new UserError("No log has a client's begin line, so nothing can be collected.");
  }
  const { folder, id } = await createRunFolder(out, new Date(startedAt));
  const isComplete = problems.every(({ kind }) => kind === "mixed");
  const head: RunHead = {
    schemaVersion: 2,
    id,
    startedAt,
    status: isComplete ? "complete" : "interrupted",
    events: problems.map(eventOf),
    evenbenchVersion: plan.evenbenchVersion,
    ...(plan.command && { command: plan.command }),
    ...(plan.settings && { settings: plan.settings }),
    identities: plan.identities,
  };
  return { folder, logs: clients, head, problems: problems.map(({ sentence }) => sentence) };
}

/** Makes the event of a problem. */
function eventOf({ kind, sentence }: Problem): RunEvent {
  return {
    atMs: 0,
    kind: kind === "mixed" ? "mixed-http" : "vantage-incomplete",
    caseId: null,
    target: null,
    trial: null,
    detail: sentence,
  };
}

/** Finds the logs whose clients played another plan. */
function ofOtherPlans(clients: readonly ClientLog[], hash: string): readonly Problem[] {
  return clients
    .filter(({ begin }) => begin.plan !== hash)
    .map(({ file, begin: { plan } }) =>
      fatal(
        `${file} is of another plan (${plan.slice(0, 12)}…, and this folder has ${hash.slice(0, 12)}…): collect it with the folder that its client was started from.`,
      ),
    );
}

/** Difference from 1 that rounding may give to the sum of all parts. */
const ROUNDING = 1e-9;

/**
 * Finds whether logs are not all parts of a load, or were not sent together: clients began farther apart than the
 * part of a stage that is not measured.
 */
function wrongParts(clients: readonly ClientLog[], plan: VantagePlan): readonly Problem[] {
  if (plan.kind !== "rate" || clients.length === 0) {
    return [];
  }
  const toleratedMs = unmeasuredMs(plan);
  const whole = sum(clients.map(({ begin }) => 1 / (begin.part?.count ?? 1)));
  const began = clients.map(({ begin }) => Date.parse(begin.startedAt));
  const spreadMs = largest(began) - smallest(began);
  const parts = `The parts of these ${clients.length} logs (${clients.map(({ name }) => name).join(", ")}) make ${Math.round(whole * 100)} % of the load. Give the log of every machine, once.`;
  const times = `The machines did not send at the same time: by their clocks they began ${(spreadMs / 1000).toFixed(1)} s apart, and a stage's unmeasured part is ${(toleratedMs / 1000).toFixed(1)} s. Start them together.`;
  const problems: Problem[] = [];
  if (Math.abs(whole - 1) >= ROUNDING) {
    problems.push(incomplete(parts));
  }
  if (spreadMs > toleratedMs) {
    problems.push(incomplete(times));
  }
  return problems;
}

/** Refuses logs that have problems. @param anyway takes those that are not fatal. @throws {UserError} with all of them. */
function refuseProblems(problems: readonly Problem[], anyway: boolean): void {
  const refused = problems.filter(({ kind }) => kind === "fatal" || !anyway);
  if (refused.length === 0) {
    return;
  }
  const lines = refused.map(({ sentence }) => sentence);
  const canGoOn = problems.every(({ kind }) => kind !== "fatal");
  const next = canGoOn ? " --anyway makes a run of what is there, and the report says what is missing." : "";
  throw new UserError(
    lines.length === 1
      ? `${lines[0]}${next}`
      : `${lines.length} things are wrong with these logs.${next}\n${lines.map((line) => `  ${line}`).join("\n")}`,
  );
}

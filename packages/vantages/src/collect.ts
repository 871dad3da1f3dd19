import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { UsageError, UserError } from "@evenbench/core";
import { UNMEASURED_SHARE } from "@evenbench/load";
import {
  type ClientLog,
  type ExchangeLine,
  exchangeOf,
  fatal,
  incomplete,
  type Problem,
  playedStage,
  type RequestLine,
  readLogs,
} from "@evenbench/load/k6";
import {
  createRunFolder,
  LOAD_FILE,
  type LoadRun,
  type LoadSample,
  type LoadStage,
  NOTHING_MEASURED,
  RUN_FILE,
  type Run,
  type RunEvent,
  type Sample,
  type SamplesDigest,
  SampleWriter,
  writeJson,
} from "@evenbench/results";
import { largest, smallest, sum } from "@evenbench/stats";
import {
  LOGS_FOLDER,
  type PlannedStage,
  type RatePlan,
  type RoundsPlan,
  slotMsOf,
  stagesOf,
  type VantagePlan,
} from "./plan.ts";
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
  /**
   * True where logs that are not whole, or mix versions of HTTP, make a run all the same: one that says so.
   * Default: false.
   */
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

/**
 * Lists the logs that `vantages run` left in a plan's folder, by name.
 *
 * @throws {UsageError} where there are none.
 */
export async function logsOf(folder: string): Promise<readonly string[]> {
  const logs = join(folder, LOGS_FOLDER);
  const names = await readdir(logs).catch(() => []);
  if (names.length === 0) {
    throw new UsageError(`There is no log in ${logs}. Name the files that clients wrote.`);
  }
  return names.sort().map((name) => join(logs, name));
}

/** The log of a client whose trials have numbers in the run. */
interface NumberedLog extends ClientLog {
  /** The number of its first trial: those of the client that appears first come first. */
  readonly firstTrial: number;
}

/** Makes a run of the logs of clients that played rounds. @throws {UserError} where logs are refused. */
export async function collectLogs(terms: CollectTerms<RoundsPlan>): Promise<Collected<Run>> {
  const { plan } = terms;
  const { folder, logs, head, problems } = await beginRun(terms);
  const trials = plan.run.trials.maximum;
  const clients = logs.map((log, index): NumberedLog => ({ ...log, firstTrial: index * trials }));
  const { counted, samples } = writeRounds(folder, clients, plan);
  const ends = clients.map(({ begin, end }) => Date.parse(begin.startedAt) + (end?.elapsedMs ?? 0));
  const run: Run = {
    ...head,
    finishedAt: new Date(largest(ends)).toISOString(),
    source: plan.source,
    samples,
    plan: plan.run,
    machine: null,
    vantages: vantagesOf(clients, trials),
    ...NOTHING_MEASURED,
  };
  await writeJson(join(folder, RUN_FILE), run);
  return { folder, run, problems, counted };
}

/** The samples of a run that were written. */
interface WrittenRounds {
  readonly samples: SamplesDigest;
  /** Number of measured requests that were answered as they should be. */
  readonly counted: number;
}

/** Writes the samples of all clients. */
function writeRounds(folder: string, clients: readonly NumberedLog[], plan: RoundsPlan): WrittenRounds {
  const writer = new SampleWriter<Sample>(folder);
  let counted = 0;
  for (const client of clients) {
    for (const line of client.lines) {
      const sample = line.evenbench === "exchange" ? sampleOf(line, client, plan) : null;
      if (sample === null) {
        continue;
      }
      writer.append(sample);
      if (sample.phase === "measure" && line.error === null) {
        counted += 1;
      }
    }
    writer.flush();
  }
  writer.close();
  return { samples: writer.written, counted };
}

/** Makes the sample of a line; null where the plan has no such case. */
function sampleOf(line: ExchangeLine, { begin, firstTrial }: NumberedLog, plan: RoundsPlan): Sample | null {
  const trials = plan.run.trials.maximum;
  const planned = plan.cases[Math.floor(line.stage / trials)];
  if (planned === undefined) {
    return null;
  }
  const { target, phase, round, position, startedAtMs, edge, protocol } = line;
  return {
    caseId: planned.id,
    target,
    trial: firstTrial + (line.stage % trials),
    phase,
    roundIndex: round,
    position,
    startedAtMs,
    ...exchangeOf(line),
    cpuMs: null,
    minorFaults: null,
    from: { vantage: begin.vantage, client: begin.client, edge, httpVersion: protocol },
  };
}

/** Makes the record's list of vantages, each with its clients. @param trials number of each client's trials. */
function vantagesOf(clients: readonly NumberedLog[], trials: number): NonNullable<Run["vantages"]> {
  return [...Map.groupBy(clients, ({ begin }) => begin.vantage)].map(([name, logs]) => ({
    name,
    clients: logs.map(({ begin, end, lines, lacks, firstTrial }) => ({
      client: begin.client,
      nonce: begin.nonce,
      startedAt: begin.startedAt,
      elapsedMs: end?.elapsedMs ?? null,
      planned: begin.exchanges ?? 0,
      logged: lines.length,
      lacks,
      firstTrial,
      trials,
    })),
  }));
}

/** The log of a machine that sent its part of a load. */
interface MachineLog extends ClientLog {
  /** The requests, by the index of their stage. */
  readonly byStage: ReadonlyMap<number, readonly RequestLine[]>;
  /** The number of its first connection in the run: machines count their own from 0. */
  readonly firstConnection: number;
}

/**
 * Makes a load of the logs of several machines: their counts are added up, and nothing is compared between two clocks.
 *
 * @throws {UserError} where logs are refused.
 */
export async function collectLoad(terms: CollectTerms<RatePlan>): Promise<Collected<LoadRun>> {
  const { plan } = terms;
  const { folder, logs, head, problems } = await beginRun(terms);
  const planned = stagesOf(plan);
  const maxConnections = largest(planned.map(({ connections }) => connections));
  const machines = logs.map((log, index): MachineLog => {
    const requests = log.lines.filter((line) => line.evenbench === "request");
    const byStage = Map.groupBy(requests, ({ stage }) => stage);
    return { ...log, byStage, firstConnection: index * maxConnections };
  });
  const writer = new SampleWriter<LoadSample>(folder);
  const stages = planned.map((_, index) => writeStage(writer, plan, planned, index, machines));
  writer.close();
  const run: LoadRun = {
    ...head,
    samples: writer.written,
    finishedAt: new Date(Date.parse(head.startedAt) + planned.length * slotMsOf(plan)).toISOString(),
    plan: plan.run,
    machine: null,
    clients: logs.map(({ name, begin: { nonce, startedAt }, lines, lacks }) => {
      return { name, nonce, startedAt, logged: lines.length, lacks };
    }),
    stages,
  };
  await writeJson(join(folder, LOAD_FILE), run);
  return { folder, run, problems, counted: sum(stages.map(({ completed }) => completed)) };
}

/** Writes what all machines sent in one stage, and adds up their counts. */
function writeStage(
  writer: SampleWriter<LoadSample>,
  plan: RatePlan,
  planned: readonly PlannedStage[],
  stage: number,
  machines: readonly MachineLog[],
): LoadStage {
  const { caseId, target, trial, load, rate, stageMs } = planned[stage] as PlannedStage;
  const startMs = stage * slotMsOf(plan);
  const fromMs = unmeasuredMs(plan);
  const toMs = plan.run.stageMs;
  const parts = machines.map(({ begin: { part }, byStage, firstConnection }) => {
    const share = { rate, stageMs, first: part?.index ?? 0, every: part?.count ?? 1 };
    const { samples, counts } = playedStage(byStage.get(stage) ?? [], share, { startMs, fromMs, toMs });
    for (const { connection, ...sample } of samples) {
      writer.append({ stage, ...sample, connection: firstConnection + connection });
    }
    writer.flush();
    return counts;
  });
  const sent = sum(parts.map((counts) => counts.sent));
  return {
    caseId,
    target,
    trial,
    load,
    startedAtMs: startMs + fromMs,
    windowMs: toMs - fromMs,
    sent,
    late: sum(parts.map((counts) => counts.late)),
    dropped: sum(parts.map((counts) => counts.dropped)),
    queued: 0,
    completed: sum(parts.map((counts) => counts.completed)),
    meanInFlight: sum(parts.map((counts) => counts.meanInFlight)),
    usage: null,
    client: { wallMs: toMs - fromMs, cpuMs: null, eventLoopDelayP99Ms: null },
    ended: sent === 0 ? whyNothingSent(machines) : null,
  };
}

/** Says why a stage has no request. */
function whyNothingSent(machines: readonly MachineLog[]): string {
  const lacking = machines.find(({ lacks }) => lacks !== null);
  return lacking === undefined ? "no machine played it" : `a machine's log ${lacking.lacks}`;
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

/**
 * Reads and checks the logs, then makes the folder: nothing is written before the logs are known to be whole.
 *
 * @throws {UserError} where logs are refused.
 */
async function beginRun({ plan, hash, logs: files, out, anyway = false }: CollectTerms): Promise<BegunRun> {
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

/** Milliseconds at the start of a stage that are not measured. */
function unmeasuredMs({ run }: RatePlan): number {
  return run.stageMs * UNMEASURED_SHARE;
}

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

/**
 * Refuses logs that have problems.
 *
 * @throws {UserError} with all of them.
 * @param anyway takes those that are not fatal.
 */
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

import { join } from "node:path";
import { UserError } from "@evenbench/core";
import { UNMEASURED_SHARE } from "@evenbench/load";
import {
  type ClientLog,
  exchangeOf,
  fatal,
  incomplete,
  type Problem,
  playedStage,
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
  SampleWriter,
  writeJson,
} from "@evenbench/results";
import { largest, smallest, sum } from "@evenbench/stats";
import { type Plan, type RatePlan, type RoundsPlan, slotMsOf, stagesOf } from "./plan.ts";
import { linesOfNoPlan } from "./planned-lines.ts";

export interface CollectTerms<P = Plan> {
  readonly plan: P;
  readonly hash: string;
  readonly logs: readonly string[];
  readonly out: string;
  /** Whether logs that are not whole, or mix versions of HTTP, make a run all the same: one that says so. */
  readonly anyway?: boolean;
}

/** A run that was made of logs. */
export interface Collected<R> {
  readonly folder: string;
  readonly run: R;
  /** What is missing, or was played in another way: sentences. */
  readonly problems: readonly string[];
  /** Measured requests that were answered as they should be. */
  readonly counted: number;
}

/** Makes a run of the logs of clients that played rounds. @throws {UserError} where logs are refused. */
export async function collectLogs(terms: CollectTerms<RoundsPlan>): Promise<Collected<Run>> {
  const { plan } = terms;
  const { folder, logs, head, problems } = await beginRun(terms);
  const trials = plan.run.trials.maximum;
  // Trials are numbered through: those of the first client that appears come first.
  const clients = logs.map((log, index) => ({ ...log, firstTrial: index * trials }));
  const writer = new SampleWriter<Sample>(folder);
  let counted = 0;
  for (const { begin, lines, firstTrial } of clients) {
    for (const line of lines) {
      const planned = plan.cases[Math.floor(line.stage / trials)];
      if (line.evenbench !== "exchange" || planned === undefined) {
        continue;
      }
      const { target, phase, round: roundIndex, position, startedAtMs, edge, protocol } = line;
      const trial = firstTrial + (line.stage % trials);
      writer.append({
        caseId: planned.id,
        target,
        trial,
        phase,
        roundIndex,
        position,
        startedAtMs,
        ...exchangeOf(line),
        cpuMs: null,
        minorFaults: null,
        from: { vantage: begin.vantage, client: begin.client, edge, httpVersion: protocol },
      });
      if (phase === "measure" && line.error === null) {
        counted += 1;
      }
    }
    writer.flush();
  }
  writer.close();
  const ends = clients.map(({ begin, end }) => Date.parse(begin.startedAt) + (end?.elapsedMs ?? 0));
  const run: Run = {
    ...head,
    finishedAt: new Date(largest(ends)).toISOString(),
    source: plan.source,
    samples: writer.written,
    plan: plan.run,
    machine: null,
    vantages: [...Map.groupBy(clients, ({ begin }) => begin.vantage)].map(([name, logs]) => ({
      name,
      clients: logs.map(({ begin, end, lines, lacks, firstTrial }) => {
        const { client, nonce, startedAt, exchanges } = begin;
        const elapsedMs = end?.elapsedMs ?? null;
        const counts = { planned: exchanges ?? 0, logged: lines.length, lacks };
        return { client, nonce, startedAt, elapsedMs, ...counts, firstTrial, trials };
      }),
    })),
    ...NOTHING_MEASURED,
  };
  await writeJson(join(folder, RUN_FILE), run);
  return { folder, run, problems, counted };
}

/** Adds up what several machines put on together; nothing is compared between two clocks. */
export async function collectLoad(terms: CollectTerms<RatePlan>): Promise<Collected<LoadRun>> {
  const { plan } = terms;
  const { folder, logs, head, problems } = await beginRun(terms);
  const planned = stagesOf(plan);
  const slotMs = slotMsOf(plan);
  const fromMs = unmeasuredMs(plan);
  const toMs = plan.run.stageMs;
  // Connections of machines have numbers of their own.
  const mostConnections = largest(planned.map(({ connections }) => connections));
  const clients = logs.map((log, index) => {
    const requests = log.lines.filter((line) => line.evenbench === "request");
    const byStage = Map.groupBy(requests, ({ stage }) => stage);
    return { ...log, byStage, firstConnection: index * mostConnections };
  });
  const lacking = logs.find(({ lacks }) => lacks !== null);
  const why = lacking === undefined ? "no machine played it" : `a machine's log ${lacking.lacks}`;
  const writer = new SampleWriter<LoadSample>(folder);
  const stages = planned.map(({ caseId, target, trial, load, rate, stageMs }, stage): LoadStage => {
    const startMs = stage * slotMs;
    const parts = clients.map(({ begin: { part }, byStage, firstConnection }) => {
      const share = { rate, stageMs, first: part?.index ?? 0, every: part?.count ?? 1 };
      const { samples, counts } = playedStage(byStage.get(stage) ?? [], share, { startMs, fromMs, toMs });
      for (const { connection, ...sample } of samples) {
        writer.append({ stage, ...sample, connection: firstConnection + connection });
      }
      writer.flush();
      return counts;
    });
    const all = (count: keyof (typeof parts)[number]) => sum(parts.map((counts) => counts[count]));
    return {
      caseId,
      target,
      trial,
      load,
      startedAtMs: startMs + fromMs,
      windowMs: toMs - fromMs,
      sent: all("sent"),
      late: all("late"),
      dropped: all("dropped"),
      queued: 0,
      completed: all("completed"),
      meanInFlight: all("meanInFlight"),
      usage: null,
      client: { wallMs: toMs - fromMs, cpuMs: null, eventLoopDelayP99Ms: null },
      ended: all("sent") === 0 ? why : null,
    };
  });
  writer.close();
  const run: LoadRun = {
    ...head,
    finishedAt: new Date(Date.parse(head.startedAt) + planned.length * slotMs).toISOString(),
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

/** Nothing is written before the logs are known to be whole. */
async function beginRun({ plan, hash, logs: files, out, anyway = false }: CollectTerms) {
  if (files.length === 0) {
    throw new UserError("There is no log to collect. Name the files that clients wrote.");
  }
  const { clients, problems: ofLogs } = await readLogs(files);
  const ofOthers = ofOtherPlans(clients, hash);
  // What lines of another plan mean in this one says nothing.
  const ofNone = ofOthers.length > 0 ? [] : linesOfNoPlan(clients, plan);
  const problems = [...ofOthers, ...ofNone, ...ofLogs, ...wrongParts(clients, plan)];
  refuse(problems, anyway);
  const startedAt = clients.map(({ begin }) => begin.startedAt).sort()[0];
  if (startedAt === undefined) {
    throw new UserError("No log has a client's begin line, so nothing can be collected.");
  }
  const { folder, id } = await createRunFolder(out, new Date(startedAt));
  const { evenbenchVersion, identities } = plan;
  const isComplete = problems.every(({ kind }) => kind === "mixed");
  const events = problems.map(
    ({ kind, sentence }): RunEvent => ({
      atMs: 0,
      kind: kind === "mixed" ? "mixed-http" : "vantage-incomplete",
      caseId: null,
      target: null,
      trial: null,
      detail: sentence,
    }),
  );
  const status: Run["status"] = isComplete ? "complete" : "interrupted";
  const head = { schemaVersion: 2, id, startedAt, status, events, evenbenchVersion, identities } as const;
  return { folder, logs: clients, head, problems: problems.map(({ sentence }) => sentence) };
}

function ofOtherPlans(clients: readonly ClientLog[], hash: string): readonly Problem[] {
  return clients
    .filter(({ begin }) => begin.plan !== hash)
    .map(({ file, begin: { plan } }) =>
      fatal(
        `${file} is of another plan (${plan.slice(0, 12)}…, and this folder has ${hash.slice(0, 12)}…): collect it with the folder that its client was started from.`,
      ),
    );
}

const NEARLY = 1e-9;

function unmeasuredMs({ run }: RatePlan): number {
  return run.stageMs * UNMEASURED_SHARE;
}

/**
 * Whether they are all parts, and sent together: what is apart by more than the part that is not measured did
 * not.
 */
function wrongParts(clients: readonly ClientLog[], plan: Plan): readonly Problem[] {
  if (plan.kind !== "rate" || clients.length === 0) {
    return [];
  }
  const mostMs = unmeasuredMs(plan);
  const whole = sum(clients.map(({ begin }) => 1 / (begin.part?.count ?? 1)));
  const began = clients.map(({ begin }) => Date.parse(begin.startedAt));
  const spreadMs = largest(began) - smallest(began);
  const parts = `The parts of these ${clients.length} logs (${clients.map(({ name }) => name).join(", ")}) make ${Math.round(whole * 100)} % of the load. Give the log of every machine, once.`;
  const times = `The machines did not send at the same time: by their clocks they began ${(spreadMs / 1000).toFixed(1)} s apart, and a stage's unmeasured part is ${(mostMs / 1000).toFixed(1)} s. Start them together.`;
  return [
    ...(Math.abs(whole - 1) < NEARLY ? [] : [incomplete(parts)]),
    ...(spreadMs <= mostMs ? [] : [incomplete(times)]),
  ];
}

function refuse(problems: readonly Problem[], anyway: boolean): void {
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

import { mkdtemp, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import {
  createRunFolder,
  LOAD_FILE,
  LOAD_SCHEMA_VERSION,
  type LoadRun,
  type LoadSample,
  type LoadStage,
  ResultsError,
  RUN_SCHEMA_VERSION,
  type Run,
  SAMPLES_FILE,
  type Sample,
  SampleWriter,
  systemReason,
  type VantageClient,
  writeRun,
  writeWhole,
} from "@evenbench/results";
import type { ExchangeLine, RequestLine } from "./lines.ts";
import { type ClientLog, incomplete, outcomeOf, PlanLogs, type Problem } from "./logs.ts";
import type { RatePlan, VantagePlan } from "./plan.ts";
import { betweenTimes, loadSampleOf, summariseRequests, timesOf, UNMEASURED_SHARE } from "./rate.ts";
import { openLoadOf, stagePlanOf } from "./write-plan.ts";

export interface CollectTerms {
  readonly hash: string;
  readonly logs: readonly string[];
  readonly out: string;
  /** Whether logs that are not whole, or mix versions of HTTP, make a run all the same: one that says so. */
  readonly anyway?: boolean;
}

export interface Collected<R> {
  readonly folder: string;
  readonly run: R;
  readonly problems: readonly string[];
}

interface Draft<R> {
  readonly clients: readonly ClientLog[];
  readonly problems: readonly Problem[];
  make(startedAt: string): R;
  write(folder: string, run: R): Promise<void>;
}

const BATCH = 1000;

export function collectLogs({
  plan,
  ...terms
}: CollectTerms & { readonly plan: VantagePlan }): Promise<Collected<Run>> {
  return collecting(terms, async (draft) => {
    const writer = new SampleWriter(draft);
    let queued = 0;
    const found = new PlanLogs(terms.hash, (line, client) => {
      if (line.evenbench !== "exchange") return;
      writer.append(sampleOf(line, client, plan));
      queued += 1;
      if (queued % BATCH === 0) writer.flush();
    });
    for (const log of terms.logs) await found.read(log);
    writer.close();
    const { clients } = found;
    const problems = found.problems();
    const ends = clients.map(({ begin, end }) => Date.parse(begin.startedAt) + (end?.elapsedMs ?? 0));
    const byVantage = Map.groupBy(clients, ({ begin }) => begin.vantage);
    const make = (startedAt: string): Run => ({
      schemaVersion: RUN_SCHEMA_VERSION,
      id: "",
      startedAt,
      finishedAt: new Date(Math.max(...ends)).toISOString(),
      ...outcomeOf(problems),
      evenbenchVersion: plan.evenbenchVersion,
      source: plan.source,
      samples: writer.written,
      plan: plan.run,
      machine: null,
      vantages: [...byVantage].map(([name, own]) => ({
        name,
        clients: own.map((client) => clientOf(client, plan)),
      })),
      identities: plan.identities,
      deployables: {},
      usage: [],
      warmUps: [],
      clientLoad: [],
      timelines: [],
      coldStarts: [],
    });
    return { clients, problems, make, write: writeRun };
  });
}

function clientOf(log: ClientLog, plan: VantagePlan): VantageClient {
  const { begin, end, logged, lacks } = log;
  return {
    client: begin.client,
    nonce: begin.nonce,
    startedAt: begin.startedAt,
    elapsedMs: end?.elapsedMs ?? null,
    planned: begin.exchanges ?? 0,
    logged,
    lacks,
    firstTrial: firstTrialOf(log, plan),
    trials: plan.run.trials.maximum,
  };
}

/** Trials are numbered through: those of the first client that appears come first. */
function firstTrialOf({ index }: ClientLog, { run }: VantagePlan): number {
  return index * run.trials.maximum;
}

function sampleOf(line: ExchangeLine, log: ClientLog, plan: VantagePlan): Sample {
  const { vantage, client } = log.begin;
  return {
    caseId: line.case,
    target: line.target,
    trial: firstTrialOf(log, plan) + line.trial,
    phase: line.phase,
    roundIndex: line.round,
    position: line.position,
    startedAtMs: line.startedAtMs,
    connectMs: line.connectMs,
    ...timesOf(line),
    cpuMs: null,
    minorFaults: null,
    status: line.status,
    bodyBytes: line.bodyBytes,
    instanceId: line.instanceId,
    served: line.served,
    inFlight: line.inFlight,
    from: { vantage, client, edge: line.edge, httpVersion: line.protocol },
  };
}

export function collectLoad({
  plan,
  ...terms
}: CollectTerms & { readonly plan: RatePlan }): Promise<Collected<LoadRun>> {
  return collecting(terms, async (draft) => {
    const writer = new SampleWriter<LoadSample>(draft);
    const merged = new MergedStages(plan, writer);
    const found = new PlanLogs(terms.hash, (line, client) => {
      if (line.evenbench === "request") merged.take(line, client);
    });
    for (const log of terms.logs) await found.read(log);
    const { clients } = found;
    for (const client of clients) merged.close(client);
    writer.close();
    const { stageMs } = plan.load;
    const problems = [...found.problems(), ...wrongParts(clients), ...wrongTimes(clients, stageMs)];
    const lacking = clients.find(({ lacks }) => lacks !== null);
    const make = (startedAt: string): LoadRun => ({
      schemaVersion: LOAD_SCHEMA_VERSION,
      id: "",
      startedAt,
      finishedAt: new Date(Date.parse(startedAt) + plan.stages.length * plan.slotMs).toISOString(),
      ...outcomeOf(problems),
      evenbenchVersion: plan.evenbenchVersion,
      plan: plan.load,
      machine: null,
      clients: clients.map(({ name, begin, logged, lacks }) => ({
        name,
        nonce: begin.nonce,
        startedAt: begin.startedAt,
        logged,
        lacks,
      })),
      identities: plan.identities,
      stages: merged.stages(lacking === undefined ? null : `a machine's log ${lacking.lacks}`),
    });
    const write = (folder: string, run: LoadRun) =>
      writeWhole(join(folder, LOAD_FILE), `${JSON.stringify(run, null, 2)}\n`);
    return { clients, problems, make, write };
  });
}

const NEARLY = 1e-9;

function wrongParts(clients: readonly ClientLog[]): readonly Problem[] {
  const whole = clients.reduce((sum, { begin }) => sum + 1 / (begin.part?.of ?? 1), 0);
  if (clients.length === 0 || Math.abs(whole - 1) < NEARLY) return [];
  return [
    incomplete(
      `The parts of these ${clients.length} logs (${clients.map(({ name }) => name).join(", ")}) make ${Math.round(whole * 100)} % of the load. Give the log of every machine, once.`,
    ),
  ];
}

/** What is apart by more than the part that is not measured did not send together. */
function wrongTimes(clients: readonly ClientLog[], stageMs: number): readonly Problem[] {
  const began = clients.map(({ begin }) => Date.parse(begin.startedAt));
  const spreadMs = Math.max(...began) - Math.min(...began);
  if (clients.length === 0 || spreadMs <= stageMs * UNMEASURED_SHARE) return [];
  return [
    incomplete(
      `The machines did not send at the same time: by their clocks they began ${(spreadMs / 1000).toFixed(1)} s apart, and a stage's unmeasured part is ${((stageMs * UNMEASURED_SHARE) / 1000).toFixed(1)} s. Start them together.`,
    ),
  ];
}

const NOTHING = { sent: 0, late: 0, dropped: 0, completed: 0, meanInFlight: 0 };

/**
 * Adds up what several machines put on together. Each one's times are taken from the start of the stage by
 * its own clock: nothing is compared between two clocks.
 */
class MergedStages {
  readonly #plan: RatePlan;
  readonly #writer: SampleWriter<LoadSample>;
  readonly #stages: (typeof NOTHING)[];
  readonly #open = new Map<ClientLog, RequestLine[]>();

  constructor(plan: RatePlan, writer: SampleWriter<LoadSample>) {
    this.#plan = plan;
    this.#writer = writer;
    this.#stages = plan.stages.map(() => NOTHING);
  }

  take(line: RequestLine, client: ClientLog): void {
    const lines = this.#open.get(client);
    if (lines?.[0]?.stage === line.stage) lines.push(line);
    else {
      this.close(client);
      this.#open.set(client, [line]);
    }
  }

  close(client: ClientLog): void {
    const lines = this.#open.get(client) ?? [];
    this.#open.delete(client);
    const index = lines[0]?.stage ?? -1;
    const before = this.#stages[index];
    const stage = this.#plan.stages[index];
    if (before === undefined || stage === undefined) return;
    const { part } = client.begin;
    const own = { ...stagePlanOf(this.#plan, stage), first: part?.index ?? 0, every: part?.of ?? 1 };
    const { requests, sent, late, dropped } = summariseRequests(lines, own);
    // Connections of machines have numbers of their own.
    const first = client.index * Math.max(...this.#plan.load.loads.map((load) => load.connections));
    for (const request of requests) {
      const sample = loadSampleOf(request, this.#startOf(index), own.stageMs);
      this.#writer.append({ stage: index, ...sample, connection: first + sample.connection });
    }
    this.#writer.flush();
    const window = betweenTimes(lines, own.stageMs * UNMEASURED_SHARE, own.stageMs);
    this.#stages[index] = {
      sent: before.sent + sent,
      late: before.late + late,
      dropped: before.dropped + dropped,
      completed: before.completed + window.completed,
      meanInFlight: before.meanInFlight + window.meanInFlight,
    };
  }

  stages(ended: string | null): readonly LoadStage[] {
    const { stageMs } = this.#plan.load;
    const windowMs = stageMs * (1 - UNMEASURED_SHARE);
    return this.#plan.stages.map(
      (stage, index): LoadStage => ({
        caseId: stage.caseId,
        target: stage.target,
        trial: stage.trial,
        load: openLoadOf(this.#plan, stage),
        startedAtMs: this.#startOf(index) + stageMs * UNMEASURED_SHARE,
        windowMs,
        ...(this.#stages[index] ?? NOTHING),
        queued: 0,
        usage: null,
        client: { wallMs: windowMs, cpuMs: null, eventLoopDelayP99Ms: null },
        ended: this.#stages[index]?.sent === 0 ? (ended ?? "no machine played it") : null,
      }),
    );
  }

  #startOf(index: number): number {
    return index * this.#plan.slotMs;
  }
}

/** Makes a run's folder of logs. `read` puts their samples into a draft, which is gone whatever comes. */
async function collecting<R extends { readonly id: string }>(
  { logs, out, anyway = false }: CollectTerms,
  read: (draft: string) => Promise<Draft<R>>,
): Promise<Collected<R>> {
  if (logs.length === 0)
    throw new UserError("There is no log to collect. Name the files that clients wrote.");
  const draft = await makeDraft(out);
  try {
    const { clients, problems, make, write } = await read(draft);
    refuse(problems, anyway);
    const startedAt = clients.map(({ begin }) => begin.startedAt).sort()[0];
    if (startedAt === undefined)
      throw new UserError("No log has a client's begin line, so nothing can be collected.");
    const { folder, id } = await createRunFolder(out, new Date(startedAt));
    await rename(join(draft, SAMPLES_FILE), join(folder, SAMPLES_FILE));
    const run = { ...make(startedAt), id };
    await write(folder, run);
    return { folder, run, problems: problems.map(({ sentence }) => sentence) };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function refuse(problems: readonly Problem[], anyway: boolean): void {
  const refused = problems.filter(({ kind }) => kind === "fatal" || !anyway);
  if (refused.length === 0) return;
  const lines = refused.map(({ sentence }) => sentence);
  const canGoOn = problems.every(({ kind }) => kind !== "fatal");
  const next = canGoOn ? " --anyway makes a run of what is there, and the report says what is missing." : "";
  throw new UserError(
    lines.length === 1
      ? `${lines[0]}${next}`
      : `${lines.length} things are wrong with these logs.${next}\n${lines.map((line) => `  ${line}`).join("\n")}`,
  );
}

async function makeDraft(out: string): Promise<string> {
  try {
    makeFolder(out);
    return await mkdtemp(join(resolve(out), ".collect-"));
  } catch (error) {
    throw new ResultsError(
      `Cannot write results to ${out}: ${systemReason(error)}. Give a folder that can be written to: --out <folder>.`,
    );
  }
}

import { join } from "node:path";
import { UserError } from "@evenbench/core";
import {
  createRunFolder,
  LOAD_FILE,
  type LoadRun,
  type LoadSample,
  type LoadStage,
  NOTHING_MEASURED,
  RUN_FILE,
  type Run,
  type Sample,
  type SamplesDigest,
  SampleWriter,
  writeJson,
} from "@evenbench/results";
import type { ExchangeLine, RequestLine, SentLine } from "./lines.ts";
import { type ClientLog, incomplete, PlanLogs, type Problem } from "./logs.ts";
import { type Plan, type RatePlan, type RoundsPlan, slotMsOf, stagesOf } from "./plan.ts";
import { exchangeOf, playedStage, UNMEASURED_SHARE } from "./rate.ts";

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

interface Collecting<R, S> {
  readonly file: string;
  take(line: SentLine, client: ClientLog, write: (sample: S) => void): void;
  end?(write: (sample: S) => void): void;
  record(
    shared: Pick<Run, "id" | "startedAt" | "status" | "events" | "evenbenchVersion" | "identities">,
    clients: readonly ClientLog[],
    samples: SamplesDigest,
  ): R;
}

export function collectLogs({
  plan,
  ...terms
}: CollectTerms & { readonly plan: RoundsPlan }): Promise<Collected<Run>> {
  const trials = plan.run.trials.maximum;
  /** Trials are numbered through: those of the first client that appears come first. */
  const firstTrialOf = ({ index }: ClientLog) => index * trials;
  return collecting<Run, Sample>(terms, plan, {
    file: RUN_FILE,
    take(line, client, write) {
      const planned = plan.cases[Math.floor(line.stage / trials)];
      if (line.evenbench !== "exchange" || planned === undefined) return;
      const trial = firstTrialOf(client) + (line.stage % trials);
      write(sampleOf(line, client, { caseId: planned.id, trial }));
    },
    record: (shared, clients, samples) => ({
      schemaVersion: 2,
      ...shared,
      finishedAt: new Date(Math.max(...clients.map(endOf))).toISOString(),
      source: plan.source,
      samples,
      plan: plan.run,
      machine: null,
      vantages: [...Map.groupBy(clients, ({ begin }) => begin.vantage)].map(([name, own]) => ({
        name,
        clients: own.map((log) => {
          const { client, nonce, startedAt, exchanges } = log.begin;
          const elapsedMs = log.end?.elapsedMs ?? null;
          const counts = { planned: exchanges ?? 0, logged: log.logged, lacks: log.lacks };
          return { client, nonce, startedAt, elapsedMs, ...counts, firstTrial: firstTrialOf(log), trials };
        }),
      })),
      ...NOTHING_MEASURED,
    }),
  });
}

function endOf({ begin, end }: ClientLog): number {
  return Date.parse(begin.startedAt) + (end?.elapsedMs ?? 0);
}

function sampleOf(
  line: ExchangeLine,
  { begin: { vantage, client } }: ClientLog,
  where: Pick<Sample, "caseId" | "trial">,
): Sample {
  const { target, phase, round: roundIndex, position, startedAtMs } = line;
  return {
    caseId: where.caseId,
    ...{ target, trial: where.trial, phase, roundIndex, position, startedAtMs },
    ...exchangeOf(line),
    cpuMs: null,
    minorFaults: null,
    from: { vantage, client, edge: line.edge, httpVersion: line.protocol },
  };
}

/** Adds up what several machines put on together; nothing is compared between two clocks. */
export function collectLoad({
  plan,
  ...terms
}: CollectTerms & { readonly plan: RatePlan }): Promise<Collected<LoadRun>> {
  const planned = stagesOf(plan);
  const mostConnections = Math.max(...planned.map(({ connections }) => connections));
  const slotMs = slotMsOf(plan);
  const fromMs = unmeasuredMs(plan);
  const windowMs = plan.run.stageMs - fromMs;
  const sums = planned.map(() => ({ sent: 0, late: 0, dropped: 0, completed: 0, meanInFlight: 0 }));
  /** Of the stage that each client is in. */
  const open = new Map<ClientLog, RequestLine[]>();
  const close = ({ begin: { part }, index: client }: ClientLog, lines: readonly RequestLine[]) => {
    const index = lines[0]?.stage ?? -1;
    const [stage, sum] = [planned[index], sums[index]];
    if (stage === undefined || sum === undefined) return [];
    const own = { ...stage, first: part?.index ?? 0, every: part?.of ?? 1 };
    const times = { startMs: index * slotMs, fromMs, toMs: plan.run.stageMs };
    const { samples, counts } = playedStage(lines, own, times);
    for (const count of Object.keys(sum) as (keyof typeof sum)[]) sum[count] += counts[count];
    // Connections of machines have numbers of their own.
    const connectionOf = (connection: number) => client * mostConnections + connection;
    return samples.map((one) => ({ stage: index, ...one, connection: connectionOf(one.connection) }));
  };
  return collecting<LoadRun, LoadSample>(terms, plan, {
    file: LOAD_FILE,
    take(line, client, write) {
      if (line.evenbench !== "request") return;
      const lines = open.get(client) ?? [];
      if (lines[0]?.stage === line.stage) lines.push(line);
      else {
        open.set(client, [line]);
        for (const sample of close(client, lines)) write(sample);
      }
    },
    end(write) {
      for (const [client, lines] of open) for (const sample of close(client, lines)) write(sample);
    },
    record(shared, clients) {
      const lacking = clients.find(({ lacks }) => lacks !== null);
      const why = lacking === undefined ? "no machine played it" : `a machine's log ${lacking.lacks}`;
      return {
        schemaVersion: 2,
        ...shared,
        finishedAt: new Date(Date.parse(shared.startedAt) + planned.length * slotMs).toISOString(),
        plan: plan.run,
        machine: null,
        clients: clients.map(({ name, begin: { nonce, startedAt }, logged, lacks }) => ({
          ...{ name, nonce, startedAt, logged, lacks },
        })),
        stages: planned.map(({ caseId, target, trial, load }, index): LoadStage => {
          const sum = sums[index] as (typeof sums)[number];
          return {
            ...{ caseId, target, trial, load },
            startedAtMs: index * slotMs + fromMs,
            windowMs,
            ...sum,
            queued: 0,
            usage: null,
            client: { wallMs: windowMs, cpuMs: null, eventLoopDelayP99Ms: null },
            ended: sum.sent === 0 ? why : null,
          };
        }),
      };
    },
  });
}

const NEARLY = 1e-9;

function unmeasuredMs({ run }: RatePlan): number {
  return run.stageMs * UNMEASURED_SHARE;
}

/** Whether they are all parts, and sent together: what is apart by more than the part that is not measured did not. */
function wrongParts(clients: readonly ClientLog[], plan: Plan): readonly Problem[] {
  if (plan.kind !== "rate" || clients.length === 0) return [];
  const mostMs = unmeasuredMs(plan);
  const whole = clients.reduce((sum, { begin }) => sum + 1 / (begin.part?.of ?? 1), 0);
  const began = clients.map(({ begin }) => Date.parse(begin.startedAt));
  const spreadMs = Math.max(...began) - Math.min(...began);
  const parts = `The parts of these ${clients.length} logs (${clients.map(({ name }) => name).join(", ")}) make ${Math.round(whole * 100)} % of the load. Give the log of every machine, once.`;
  const times = `The machines did not send at the same time: by their clocks they began ${(spreadMs / 1000).toFixed(1)} s apart, and a stage's unmeasured part is ${(mostMs / 1000).toFixed(1)} s. Start them together.`;
  return [
    ...(Math.abs(whole - 1) < NEARLY ? [] : [incomplete(parts)]),
    ...(spreadMs <= mostMs ? [] : [incomplete(times)]),
  ];
}

/** Lines that wait to be written: a log may be larger than the memory. */
const MOST_QUEUED = 1000;

/** Logs are read twice: nothing is written before they are known to be whole. */
async function collecting<R, S>(
  { hash, logs, out, anyway = false }: CollectTerms,
  plan: Plan,
  { file, take, end, record }: Collecting<R, S>,
): Promise<Collected<R>> {
  if (logs.length === 0)
    throw new UserError("There is no log to collect. Name the files that clients wrote.");
  const found = new PlanLogs(hash);
  for (const log of logs) await found.read(log);
  const { clients } = found;
  const problems = [...found.problems(), ...wrongParts(clients, plan)];
  refuse(problems, anyway);
  const startedAt = clients.map((client) => client.begin.startedAt).sort()[0];
  if (startedAt === undefined)
    throw new UserError("No log has a client's begin line, so nothing can be collected.");
  const { folder, id } = await createRunFolder(out, new Date(startedAt));
  const writer = new SampleWriter<S>(folder);
  let queued = 0;
  const write = (sample: S) => {
    writer.append(sample);
    queued += 1;
    if (queued % MOST_QUEUED === 0) writer.flush();
  };
  const again = new PlanLogs(hash, (line, client) => take(line, client, write));
  for (const log of logs) await again.read(log);
  end?.(write);
  writer.close();
  const { evenbenchVersion, identities } = plan;
  const shared = { id, startedAt, ...outcomeOf(problems), evenbenchVersion, identities };
  const run = record(shared, clients, writer.written);
  await writeJson(join(folder, file), run);
  return { folder, run, problems: problems.map(({ sentence }) => sentence) };
}

function outcomeOf(problems: readonly Problem[]): Pick<Run, "status" | "events"> {
  const events = problems.map(({ kind, sentence }) => ({
    atMs: 0,
    kind: kind === "mixed" ? ("mixed-http" as const) : ("vantage-incomplete" as const),
    caseId: null,
    target: null,
    trial: null,
    detail: sentence,
  }));
  return { status: problems.every(({ kind }) => kind === "mixed") ? "complete" : "interrupted", events };
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

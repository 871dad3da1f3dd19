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
  SampleWriter,
  writeJson,
} from "@evenbench/results";
import { sum } from "@evenbench/stats";
import type { ExchangeLine } from "./lines.ts";
import { type ClientLog, incomplete, Logs, type Problem } from "./logs.ts";
import { type Plan, type RatePlan, type RoundsPlan, slotMsOf, stagesOf } from "./plan.ts";
import { exchangeOf, playedStage, UNMEASURED_SHARE } from "./rate.ts";

export interface CollectTerms<P = Plan> {
  readonly plan: P;
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

export async function collectLogs(terms: CollectTerms<RoundsPlan>): Promise<Collected<Run>> {
  const { plan } = terms;
  const { folder, clients, head, problems } = await beginRun(terms);
  const trials = plan.run.trials.maximum;
  /** Trials are numbered through: those of the first client that appears come first. */
  const firstTrialOf = ({ index }: ClientLog) => index * trials;
  const writer = new SampleWriter<Sample>(folder);
  for (const client of clients) {
    for (const line of client.lines) {
      const planned = plan.cases[Math.floor(line.stage / trials)];
      if (line.evenbench !== "exchange" || planned === undefined) continue;
      const trial = firstTrialOf(client) + (line.stage % trials);
      writer.append(sampleOf(line, client, { caseId: planned.id, trial }));
    }
    writer.flush();
  }
  writer.close();
  const run: Run = {
    schemaVersion: 2,
    ...head,
    finishedAt: new Date(Math.max(...clients.map(endOf))).toISOString(),
    source: plan.source,
    samples: writer.written,
    plan: plan.run,
    machine: null,
    vantages: [...Map.groupBy(clients, ({ begin }) => begin.vantage)].map(([name, own]) => ({
      name,
      clients: own.map((log) => {
        const { client, nonce, startedAt, exchanges } = log.begin;
        const elapsedMs = log.end?.elapsedMs ?? null;
        const counts = { planned: exchanges ?? 0, logged: log.lines.length, lacks: log.lacks };
        return { client, nonce, startedAt, elapsedMs, ...counts, firstTrial: firstTrialOf(log), trials };
      }),
    })),
    ...NOTHING_MEASURED,
  };
  await writeJson(join(folder, RUN_FILE), run);
  return { folder, run, problems };
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
export async function collectLoad(terms: CollectTerms<RatePlan>): Promise<Collected<LoadRun>> {
  const { plan } = terms;
  const { folder, clients, head, problems } = await beginRun(terms);
  const planned = stagesOf(plan);
  const mostConnections = Math.max(...planned.map(({ connections }) => connections));
  const [slotMs, fromMs, toMs] = [slotMsOf(plan), unmeasuredMs(plan), plan.run.stageMs];
  const lacking = clients.find(({ lacks }) => lacks !== null);
  const why = lacking === undefined ? "no machine played it" : `a machine's log ${lacking.lacks}`;
  const requests = clients.map(({ lines }) =>
    Map.groupBy(
      lines.filter((line) => line.evenbench === "request"),
      ({ stage }) => stage,
    ),
  );
  const writer = new SampleWriter<LoadSample>(folder);
  const stages = planned.map(({ caseId, target, trial, load, rate, stageMs }, stage): LoadStage => {
    const startMs = stage * slotMs;
    const parts = clients.map(({ begin: { part } }, client) => {
      const own = { rate, stageMs, first: part?.index ?? 0, every: part?.of ?? 1 };
      const lines = requests[client]?.get(stage) ?? [];
      const { samples, counts } = playedStage(lines, own, { startMs, fromMs, toMs });
      // Connections of machines have numbers of their own.
      const firstConnection = client * mostConnections;
      for (const { connection, ...sample } of samples)
        writer.append({ stage, ...sample, connection: firstConnection + connection });
      writer.flush();
      return counts;
    });
    const all = (count: keyof (typeof parts)[number]) => sum(parts.map((counts) => counts[count]));
    return {
      ...{ caseId, target, trial, load },
      startedAtMs: startMs + fromMs,
      windowMs: toMs - fromMs,
      ...{ sent: all("sent"), late: all("late"), dropped: all("dropped"), queued: 0 },
      ...{ completed: all("completed"), meanInFlight: all("meanInFlight") },
      usage: null,
      client: { wallMs: toMs - fromMs, cpuMs: null, eventLoopDelayP99Ms: null },
      ended: all("sent") === 0 ? why : null,
    };
  });
  writer.close();
  const run: LoadRun = {
    schemaVersion: 2,
    ...head,
    finishedAt: new Date(Date.parse(head.startedAt) + planned.length * slotMs).toISOString(),
    plan: plan.run,
    machine: null,
    clients: clients.map(({ name, begin: { nonce, startedAt }, lines, lacks }) => ({
      ...{ name, nonce, startedAt, logged: lines.length, lacks },
    })),
    stages,
  };
  await writeJson(join(folder, LOAD_FILE), run);
  return { folder, run, problems };
}

const NEARLY = 1e-9;

function unmeasuredMs({ run }: RatePlan): number {
  return run.stageMs * UNMEASURED_SHARE;
}

/** Whether they are all parts, and sent together: what is apart by more than the part that is not measured did not. */
function wrongParts(clients: readonly ClientLog[], plan: Plan): readonly Problem[] {
  if (plan.kind !== "rate" || clients.length === 0) return [];
  const mostMs = unmeasuredMs(plan);
  const whole = sum(clients.map(({ begin }) => 1 / (begin.part?.of ?? 1)));
  const began = clients.map(({ begin }) => Date.parse(begin.startedAt));
  const spreadMs = Math.max(...began) - Math.min(...began);
  const parts = `The parts of these ${clients.length} logs (${clients.map(({ name }) => name).join(", ")}) make ${Math.round(whole * 100)} % of the load. Give the log of every machine, once.`;
  const times = `The machines did not send at the same time: by their clocks they began ${(spreadMs / 1000).toFixed(1)} s apart, and a stage's unmeasured part is ${(mostMs / 1000).toFixed(1)} s. Start them together.`;
  return [
    ...(Math.abs(whole - 1) < NEARLY ? [] : [incomplete(parts)]),
    ...(spreadMs <= mostMs ? [] : [incomplete(times)]),
  ];
}

/** Nothing is written before the logs are known to be whole. */
async function beginRun({ plan, hash, logs: files, out, anyway = false }: CollectTerms) {
  if (files.length === 0)
    throw new UserError("There is no log to collect. Name the files that clients wrote.");
  const logs = await Logs.read(files);
  const { clients } = logs;
  const problems = [...logs.problems(hash), ...wrongParts(clients, plan)];
  refuse(problems, anyway);
  const startedAt = clients.map(({ begin }) => begin.startedAt).sort()[0];
  if (startedAt === undefined)
    throw new UserError("No log has a client's begin line, so nothing can be collected.");
  const { folder, id } = await createRunFolder(out, new Date(startedAt));
  const { evenbenchVersion, identities } = plan;
  const head = { id, startedAt, ...outcomeOf(problems), evenbenchVersion, identities };
  return { folder, clients, head, problems: problems.map(({ sentence }) => sentence) };
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

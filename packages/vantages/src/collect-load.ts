import { join } from "node:path";
import { type ClientLog, playedStage, type RequestLine } from "@evenbench/load/k6";
import {
  LOAD_FILE,
  type LoadRun,
  type LoadSample,
  type LoadStage,
  SampleWriter,
  writeJson,
} from "@evenbench/results";
import { largest, sum } from "@evenbench/stats";
import { beginRun, type Collected, type CollectTerms } from "./collect.ts";
import { type PlannedStage, type RatePlan, slotMsOf, stagesOf, unmeasuredMs } from "./plan.ts";

/** The log of a machine that sent its part of a load. */
interface MachineLog extends ClientLog {
  /** The requests, by the index of their stage. */
  readonly byStage: ReadonlyMap<number, readonly RequestLine[]>;
  /** The number of its first connection in the run: machines count their own from 0. */
  readonly firstConnection: number;
}

/**
 * Makes a load of several machines' logs: counts are added up, and no two clocks compared.
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

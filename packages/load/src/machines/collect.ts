import { join } from "node:path";
import { UserError } from "@evenbench/core";
import {
  LOAD_FILE,
  LOAD_SCHEMA_VERSION,
  type LoadRun,
  type LoadSample,
  SampleWriter,
  writeWhole,
} from "@evenbench/results";
import {
  collecting,
  HttpVersions,
  incomplete,
  outcomeOf,
  PlanLogs,
  type Problem,
  refuse,
} from "@evenbench/vantages";
import { UNMEASURED_SHARE } from "../engine/stage.ts";
import { type LoadBeginLine, type LoadEndLine, type LoadExchangeLine, loadLineSchema } from "./lines.ts";
import { MachineLog } from "./machine-log.ts";
import { MergedStages } from "./merge.ts";
import type { ReadMachinesPlan } from "./read-plan.ts";

/** Rounding of parts that make one load. */
const NEARLY = 1e-9;

export interface CollectLoadOptions extends ReadMachinesPlan {
  readonly logs: readonly string[];
  readonly out: string;
  /** Whether logs that are not whole make a run all the same: one that says so. */
  readonly anyway?: boolean;
}

export interface CollectedLoad {
  readonly folder: string;
  readonly run: LoadRun;
  /** What is wrong with it, in sentences; empty unless `anyway` was asked for. */
  readonly problems: readonly string[];
}

/**
 * Makes a load run's folder of the logs that machines wrote: `load.json` and `samples.ndjson`, as any load
 * has them. One stage of each machine is in memory at a time.
 *
 * @throws {UserError} when a log cannot be read, is not of this plan or is there twice, and, unless `anyway`
 *   is asked for, when anything is missing, or the machines did not send at the same time.
 */
export async function collectLoad(options: CollectLoadOptions): Promise<CollectedLoad> {
  const { plan, hash, logs, out, anyway = false } = options;
  if (logs.length === 0)
    throw new UserError("There is no log to collect. Name the files that machines wrote.");
  return collecting(out, async (unfinished) => {
    const writer = new SampleWriter<LoadSample>(unfinished.folder);
    const merged = new MergedStages(plan, (sample) => writer.append(sample));
    const versions = new HttpVersions();
    const found = new PlanLogs<LoadBeginLine, LoadExchangeLine, LoadEndLine, MachineLog>({
      plan: hash,
      schema: loadLineSchema,
      clientOf: (begin, file) =>
        new MachineLog(begin, file, (machine, stage, lines) => {
          merged.add(machine, stage, lines);
          writer.flush();
        }),
      take: ({ protocol }, machine) => versions.see(protocol, machine.name),
    });
    for (const log of logs) await found.read(log);
    for (const machine of found.clients) machine.close();
    writer.close();
    const problems = [
      ...found.problems(),
      ...parts(found.clients),
      ...apart(found.clients, plan.load.stageMs),
      ...versions.problems(),
    ];
    refuse(problems, anyway);
    const run = runOf(options, found.clients, problems, merged);
    const { folder, id } = await unfinished.become(new Date(run.startedAt));
    await writeWhole(join(folder, LOAD_FILE), `${JSON.stringify({ ...run, id }, null, 2)}\n`);
    return { folder, run: { ...run, id }, problems: problems.map(({ sentence }) => sentence) };
  });
}

/** All parts of the load must be there, and none twice. */
function parts(machines: readonly MachineLog[]): readonly Problem[] {
  const whole = machines.reduce((sum, { share }) => sum + share, 0);
  if (machines.length === 0 || Math.abs(whole - 1) < NEARLY) return [];
  return [
    incomplete(
      `The parts of these ${machines.length} logs (${machines.map(({ name }) => name).join(", ")}) make ${Math.round(whole * 100)} % of the load. Give the log of every machine, once.`,
    ),
  ];
}

/**
 * Clocks are set by the network, to some milliseconds: what is apart by more than the part that is not
 * measured did not send together.
 */
function apart(machines: readonly MachineLog[], stageMs: number): readonly Problem[] {
  const began = machines.map(({ begin }) => Date.parse(begin.startedAt));
  const spreadMs = Math.max(...began) - Math.min(...began);
  if (machines.length === 0 || spreadMs <= stageMs * UNMEASURED_SHARE) return [];
  return [
    incomplete(
      `The machines did not send at the same time: by their clocks they began ${(spreadMs / 1000).toFixed(1)} s apart, and a stage's unmeasured part is ${((stageMs * UNMEASURED_SHARE) / 1000).toFixed(1)} s. Start them together.`,
    ),
  ];
}

/** `load.json`, its id still missing. */
function runOf(
  { plan }: CollectLoadOptions,
  machines: readonly MachineLog[],
  problems: readonly Problem[],
  merged: MergedStages,
): LoadRun {
  const startedAt = machines.map(({ begin }) => begin.startedAt).sort()[0];
  if (startedAt === undefined)
    throw new UserError("No log has a machine's begin line, so nothing can be collected.");
  const lacking = machines.find(({ lacks }) => lacks !== null);
  const tookMs = plan.stages.length * plan.slotMs;
  return {
    schemaVersion: LOAD_SCHEMA_VERSION,
    id: "",
    startedAt,
    finishedAt: new Date(Date.parse(startedAt) + tookMs).toISOString(),
    ...outcomeOf(problems),
    evenbenchVersion: plan.evenbenchVersion,
    plan: plan.load,
    machine: null,
    clients: machines.map(({ name, begin, logged, lacks }) => ({
      name,
      nonce: begin.nonce,
      startedAt: begin.startedAt,
      logged,
      lacks,
    })),
    identities: plan.identities,
    stages: merged.stages(lacking === undefined ? null : `a machine's log ${lacking.lacks}`),
  };
}

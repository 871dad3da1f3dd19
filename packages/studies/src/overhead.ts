import { join } from "node:path";
import type { Host } from "@evenbench/core";
import { readMemory } from "@evenbench/host";
import type { LocalTarget } from "@evenbench/runner";
import { startBare } from "./bare.ts";
import { type FullLoad, fullLoad } from "./full-load.ts";
import { median, row } from "./print.ts";

const CONNECTIONS = 16;
const SECONDS = 2;
const REPEATS = 5;

/** The bench's own cost: `empty` on a target against the bare server of its runtime, in turns; both kinds of ratio. */
export async function overhead(target: LocalTarget, cores: string | null, logs: string): Promise<void> {
  if (target.deployable === null) return;
  const serve = { deployable: target.deployable, port: 0, cores, workers: 1, v8Flags: [] };
  const ours = await target.platform.serve({ ...serve, logFile: join(logs, `${target.name}.log`) });
  const bare = await startBare(target.platform, cores, join(logs, `${target.name}-bare.log`));
  try {
    for (const host of [ours, bare]) await fullLoad(host, "/empty", CONNECTIONS, 1);
    const results: { ours: FullLoad; bare: FullLoad }[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      // The order alternates, so that a drift of the machine does not favour one side.
      const order: [Host, Host] = repeat % 2 === 0 ? [ours, bare] : [bare, ours];
      const first = await fullLoad(order[0], "/empty", CONNECTIONS, SECONDS);
      const second = await fullLoad(order[1], "/empty", CONNECTIONS, SECONDS);
      results.push(repeat % 2 === 0 ? { ours: first, bare: second } : { ours: second, bare: first });
    }
    print(target.name, results, ours);
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
  }
}

function print(name: string, results: readonly { ours: FullLoad; bare: FullLoad }[], ours: Host): void {
  const rate = median(results.map((pair) => pair.ours.requestsPerSecond / pair.bare.requestsPerSecond));
  const cpu = results.flatMap(
    ({ ours: { cpuMicrosecondsPerRequest: a }, bare: { cpuMicrosecondsPerRequest: b } }) =>
      a === null || b === null ? [] : [{ ours: a, bare: b }],
  );
  const errors = results.reduce((sum, pair) => sum + pair.ours.errors + pair.bare.errors, 0);
  row(`${name}: requests/s against bare`, rate.toFixed(3));
  if (cpu.length > 0) {
    row(`${name}: CPU per request against bare`, median(cpu.map((pair) => pair.ours / pair.bare)).toFixed(3));
    row(
      `${name}: CPU per request`,
      `${median(cpu.map((pair) => pair.ours)).toFixed(1)} us (bare ${median(cpu.map((pair) => pair.bare)).toFixed(1)} us)`,
    );
  }
  const resident = ours.pids().map((pid) => readMemory(pid)?.residentBytes ?? 0);
  row(
    `${name}: resident memory after the load`,
    `${(resident.reduce((a, b) => a + b, 0) / 2 ** 20).toFixed(0)} MiB`,
  );
  if (errors > 0) row(`${name}: ERRORS`, String(errors));
}

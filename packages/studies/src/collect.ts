import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { clientLines, testPlan } from "@evenbench/vantages/testing/logs";
import { row } from "./print.ts";
import { seconds, watch } from "./watch.ts";

/**
 * Of each of four clients: 10^6 exchanges in all, as three targets, five trials and a transfer round for each
 * round make them.
 */
const ROUNDS = 8_332;
const VANTAGES = ["eu", "us", "asia", "here"];

export async function collect(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "evenbench-collect-"));
  try {
    const plan = testPlan({ trials: 5, rounds: ROUNDS, warmUp: 3 });
    const logs = VANTAGES.map((vantage) => join(folder, `${vantage}.log`));
    for (const [index, vantage] of VANTAGES.entries()) {
      const lines = clientLines(plan, { vantage, edge: "FRA" });
      await pipeline(Readable.from(textOf(lines)), createWriteStream(logs[index] ?? ""));
    }
    const sizes = await Promise.all(logs.map(async (log) => (await stat(log)).size));
    const script = `import { writeFileSync } from "node:fs";
import { collectLogs } from ${JSON.stringify(import.meta.resolve("@evenbench/vantages"))};
import { TEST_HASH, testPlan } from ${JSON.stringify(import.meta.resolve("@evenbench/vantages/testing/logs"))};
const plan = testPlan({ trials: 5, rounds: ${ROUNDS}, warmUp: 3 });
await collectLogs({ plan, hash: TEST_HASH, logs: process.argv.slice(2), out: process.argv[1] });
const { user, system } = process.cpuUsage();
writeFileSync(process.argv[1] + ".cpu", String((user + system) / 1000));`;
    const { elapsedMs, peakMiB } = await watch("collect", [
      "--input-type=module",
      "--eval",
      script,
      join(folder, "results"),
      ...logs,
    ]);
    const lines = VANTAGES.length * plan.counts.exchanges;
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    row(`Collect: ${lines} lines of ${VANTAGES.length} logs, size`, `${(bytes / 1e6).toFixed(0)} MB`);
    row("Collect: time, peak memory", `${seconds(elapsedMs)}, ${peakMiB} MiB`);
    row("Collect: CPU time", seconds(Number(await readFile(join(folder, "results.cpu"), "utf8"))));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function* textOf(lines: Iterable<unknown>): Iterable<string> {
  for (const line of lines) yield `${JSON.stringify(line)}\n`;
}

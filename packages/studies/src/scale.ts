import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { row } from "./print.ts";
import { seconds, watch } from "./watch.ts";

/** node and its A/A copy, cloudflare, vercel; each on five trials. */
const POSITIONS = 4 * 5;
const SAMPLES = "samples.ndjson";

/**
 * Memory of the client in a run of so many exchanges, and what a report of a hundredth, a tenth and all of
 * its samples takes.
 */
export async function scale(exchanges = 1_000_000): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), "evenbench-scale-"));
  try {
    const rounds = String(Math.ceil(exchanges / POSITIONS));
    const ran = await evenbench("run", "--no-build", "--case", "empty", "--rounds", rounds, "--out", out);
    const [id = ""] = await readdir(out);
    const samples = (await readFile(join(out, id, SAMPLES), "utf8")).split("\n").slice(0, -1);
    row("Run: samples kept, warm-up and transfer included", `${samples.length} in ${seconds(ran.elapsedMs)}`);
    row("Run: peak memory of the client", `${ran.peakMiB} MiB`);
    for (const count of [exchanges / 100, exchanges / 10, exchanges].map(Math.ceil)) {
      const part = join(out, `of-${count}`);
      await cp(join(out, id), part, { recursive: true });
      await writeFile(join(part, SAMPLES), `${spread(samples, count).join("\n")}\n`);
      const { elapsedMs, peakMiB } = await evenbench("report", part, "--anyway");
      row(`Report of ${count} samples: time, peak memory`, `${seconds(elapsedMs)}, ${peakMiB} MiB`);
    }
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** So many of all lines, from the whole length: every trial has its part. */
function spread(lines: readonly string[], count: number): string[] {
  const share = count / lines.length;
  return lines.filter((_line, index) => Math.floor((index + 1) * share) > Math.floor(index * share));
}

function evenbench(...args: string[]) {
  const command = [join(repositoryRoot, "packages/cli/evenbench.ts"), ...args];
  return watch(`evenbench ${args[0]}`, command);
}

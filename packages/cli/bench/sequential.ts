import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRun } from "@evenbench/results";
import { run } from "@evenbench/runner";
import { compareMedians, generationMedians } from "@evenbench/stats";
import { type Copies, GENERATIONS_A_RUN, TIME_A_TARGET_MS } from "./copies.ts";
import { row } from "./print.ts";

const CYCLES = 10;

/**
 * The same client measuring one target after the other, as most suites do: how often two runs of one build are called different,
 * and how often a slowdown is found, by the interval of the ratio alone. Each run has as much time a target as an interleaved one.
 */
export async function sequential({ caseManifest, otherCaseIds, targets }: Copies): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), "evenbench-sequential-"));
  const claims = new Map(targets.slice(1).map(({ name }) => [name, 0]));
  const ratios: number[] = [];
  try {
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const medians: (readonly number[])[] = [];
      for (const target of targets) {
        const { folder } = await run({
          targets: [target],
          cases: { [target.app.id]: [caseManifest] },
          otherCaseIds,
          baseline: target.name,
          generations: GENERATIONS_A_RUN,
          // The twin that every run has takes half of it.
          timeMs: 2 * TIME_A_TARGET_MS,
          seed: cycle,
          out,
        });
        const { samples } = await readRun(folder);
        medians.push(generationMedians(samples, caseManifest.id, "lastByteMs").get(target.name) ?? []);
      }
      const [before = [], ...others] = medians;
      for (const [index, after] of others.entries()) {
        const ratio = compareMedians(before, after);
        const name = targets[index + 1]?.name ?? "";
        if (ratio === null) continue;
        if (name === "copy") ratios.push(ratio.estimate);
        const isClaim = name === "copy" ? ratio.low > 1 || ratio.high < 1 : ratio.low > 1;
        if (isClaim) claims.set(name, (claims.get(name) ?? 0) + 1);
      }
    }
  } finally {
    await rm(out, { recursive: true, force: true });
  }
  const size = `${GENERATIONS_A_RUN} sets of instances, one after the other`;
  for (const [name, count] of claims) row(`${name} called different (${size})`, `${count} of ${CYCLES}`);
  const furthest = Math.max(...ratios.map((ratio) => Math.abs(Math.log(ratio))));
  row(`furthest that copy / node was from 1 (${size})`, `${((Math.exp(furthest) - 1) * 100).toFixed(1)} %`);
}

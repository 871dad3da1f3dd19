import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRun } from "@evenbench/results";
import { run } from "@evenbench/runner";
import { compareMedians, trialMedians } from "@evenbench/stats";
import { type Copies, LARGEST_SIZE, NEVER_PRECISE, SIZES, sizeInWords, TIME_A_TRIAL_MS } from "./copies.ts";
import { row } from "./print.ts";

const CYCLES = 10;

/** Of each target in turn the medians of its trials, by its name. */
type Cycle = ReadonlyMap<string, readonly number[]>;

/**
 * How often two runs of one build are called different, and a slowdown is found, by the same client measuring
 * one target after the other.
 */
export async function sequential(copies: Copies): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), "evenbench-sequential-"));
  try {
    const cycles: Cycle[] = [];
    for (let seed = 0; seed < CYCLES; seed++) cycles.push(await measureInTurn(copies, seed, out));
    for (const size of SIZES) report(cycles, size);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

async function measureInTurn(
  { caseManifest, otherCaseIds, targets }: Copies,
  seed: number,
  out: string,
): Promise<Cycle> {
  const cycle = new Map<string, readonly number[]>();
  for (const target of targets) {
    const { folder } = await run({
      targets: [target],
      cases: { [target.app.id]: [caseManifest] },
      otherCaseIds,
      baseline: target.name,
      trials: LARGEST_SIZE,
      // The A/A copy that every run has takes half of it.
      timeMs: 2 * LARGEST_SIZE * TIME_A_TRIAL_MS,
      precision: NEVER_PRECISE,
      seed,
      out,
    });
    const { samples } = await readRun(folder);
    const medians = trialMedians(samples, caseManifest.id, "lastByteMs").get(target.name) ?? [];
    cycle.set(target.name, medians);
  }
  return cycle;
}

function report(cycles: readonly Cycle[], size: number): void {
  const claims = new Map<string, number>();
  let furthest = 0;
  for (const cycle of cycles) {
    const [[, before] = ["", []], ...others] = [...cycle];
    for (const [name, after] of others) {
      const ratio = compareMedians(before.slice(0, size), after.slice(0, size));
      if (ratio === null) continue;
      const isCopy = name === "copy";
      if (isCopy) furthest = Math.max(furthest, Math.abs(Math.log(ratio.estimate)));
      const isClaim = isCopy ? ratio.low > 1 || ratio.high < 1 : ratio.low > 1;
      claims.set(name, (claims.get(name) ?? 0) + (isClaim ? 1 : 0));
    }
  }
  const words = `${sizeInWords(size)}, one target after the other`;
  for (const [name, count] of claims)
    row(`${name} called different (${words})`, `${count} of ${cycles.length}`);
  row(`furthest that copy / node was from 1 (${words})`, `${((Math.exp(furthest) - 1) * 100).toFixed(1)} %`);
}

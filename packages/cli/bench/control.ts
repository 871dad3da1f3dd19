import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sample } from "@evenbench/core";
import { readRun } from "@evenbench/results";
import { run } from "@evenbench/runner";
import {
  analyseCase,
  compareMedians,
  drawBelow,
  generationMedians,
  type Random,
  seededRandom,
} from "@evenbench/stats";
import { type Copies, NEVER_PRECISE, SIZES, sizeInWords, TIME_A_SET_MS } from "./copies.ts";
import { row } from "./print.ts";

const RUNS = 100;
/** Sets of instances to draw runs from. */
const POOL = 60;

/**
 * False alarms and power of the verdict on this machine. One long run measures a target, its twin, a second copy and slowed
 * copies on many sets of fresh instances; then 100 runs of a given size are drawn from those sets, each without
 * replacement. The sets are real and independent; the 100 draws share them.
 */
export async function control({ caseManifest, otherCaseIds, targets }: Copies): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), "evenbench-control-"));
  const generationMs = (targets.length + 1) * TIME_A_SET_MS;
  try {
    const [node] = targets;
    const { folder } = await run({
      targets,
      cases: { [node?.app.id ?? ""]: [caseManifest] },
      otherCaseIds,
      // The slowed copies are other artifacts; that is the point of them.
      allow: ["artifact"],
      generations: POOL,
      timeMs: POOL * generationMs,
      precision: NEVER_PRECISE,
      seed: 1,
      out,
    });
    const samples = [...(await readRun(folder)).samples].filter(({ phase }) => phase === "measure");
    const names = targets.slice(1).map(({ name }) => name);
    whole(samples, caseManifest.id, names);
    const byGeneration = Map.groupBy(samples, ({ generation }) => generation);
    for (const generations of SIZES) {
      report([...byGeneration.values()], generations, caseManifest.id, names);
    }
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** What the whole pool says of each copy: how far it really is from the original. */
function whole(samples: readonly Sample[], caseId: string, names: readonly string[]) {
  const medians = generationMedians(samples, caseId, "lastByteMs");
  for (const name of names) {
    const ratio = compareMedians(medians.get("node") ?? [], medians.get(name) ?? []);
    if (ratio === null) continue;
    const [estimate, low, high] = [ratio.estimate, ratio.low, ratio.high].map((value) => value.toFixed(3));
    row(`${name} / node, all ${POOL} sets`, `${estimate} (${low}-${high})`);
  }
}

function report(pool: readonly Sample[][], generations: number, caseId: string, names: readonly string[]) {
  if (pool.length < 2 * generations) return;
  const random = seededRandom(generations);
  const claims = new Map(names.map((name) => [name, 0]));
  for (let index = 0; index < RUNS; index++) {
    const drawn = draw(pool, generations, random).flatMap((samples, generation) =>
      samples.map((sample) => ({ ...sample, generation })),
    );
    const { comparisons } = analyseCase(drawn, {
      caseId,
      metric: "lastByteMs",
      baseline: "node",
      twin: "node~twin",
      targets: ["node", ...names, "node~twin"],
      precision: 0.02,
      seed: index,
    });
    for (const { target, verdict } of comparisons) {
      const isClaim = verdict === "slower" || (target === "copy" && verdict === "faster");
      if (isClaim) claims.set(target, (claims.get(target) ?? 0) + 1);
    }
  }
  const size = `${sizeInWords(generations)}, interleaved`;
  for (const [name, count] of claims) row(`${name} called different (${size})`, `${count} of ${RUNS}`);
}

function draw<T>(from: readonly T[], count: number, random: Random): T[] {
  const left = [...from];
  return Array.from({ length: count }, () => left.splice(drawBelow(random, left.length), 1)[0] as T);
}

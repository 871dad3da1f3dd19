import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sample } from "@evenbench/core";
import { readRun } from "@evenbench/results";
import { type LocalTarget, run } from "@evenbench/runner";
import { analyseCase, drawBelow, type Random, seededRandom } from "@evenbench/stats";
import { row } from "./print.ts";
import { buildSlowed } from "./slowed-deployable.ts";

const CASE = "html-template";
const GENERATION_MS = 3000;
const RUNS = 100;
const SLOWDOWN = 0.03;

/**
 * False alarms and power of the verdict on this machine. One long run measures a target, its twin, a second copy and a
 * copy made 3 % slower on `pool` sets of fresh instances; then 100 runs of a given size are drawn from those sets, each
 * without replacement. The sets are real and independent; the 100 draws share them.
 */
export async function control(node: LocalTarget, pool: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "evenbench-control-"));
  try {
    const slowed = await buildSlowed(CASE, SLOWDOWN, folder);
    const cases = (await node.app.cases()).filter(({ id }) => id === CASE);
    const others = (await node.app.cases()).map(({ id }) => id).filter((id) => id !== CASE);
    const result = await run({
      targets: [node, { ...node, name: "copy" }, { ...node, name: "slowed", deployable: slowed }],
      cases: { [node.app.id]: cases },
      otherCaseIds: others,
      // The slowed copy is another artifact; that is the point of it.
      allow: ["artifact"],
      generations: pool,
      timeMs: pool * GENERATION_MS,
      seed: 1,
      out: join(folder, "results"),
    });
    const { samples } = await readRun(result.folder);
    const byGeneration = Map.groupBy(
      [...samples].filter(({ phase }) => phase === "measure"),
      ({ generation }) => generation,
    );
    for (const generations of [5, 7, 10, 15]) report([...byGeneration.values()], generations);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report(pool: readonly Sample[][], generations: number): void {
  if (pool.length < 2 * generations) return;
  const random = seededRandom(generations);
  const claims = { copy: 0, slowed: 0 };
  for (let index = 0; index < RUNS; index++) {
    const drawn = draw(pool, generations, random).flatMap((samples, generation) =>
      samples.map((sample) => ({ ...sample, generation })),
    );
    const { comparisons } = analyseCase(drawn, {
      caseId: CASE,
      metric: "lastByteMs",
      baseline: "node",
      twin: "node~twin",
      targets: ["node", "copy", "slowed", "node~twin"],
      precision: 0.02,
      seed: index,
    });
    for (const { target, verdict } of comparisons) {
      if (target === "copy" && (verdict === "faster" || verdict === "slower")) claims.copy += 1;
      if (target === "slowed" && verdict === "slower") claims.slowed += 1;
    }
  }
  const size = `${generations} sets of instances, ${(generations * GENERATION_MS) / 1000} s`;
  row(`A/A runs that claim a difference (${size})`, `${claims.copy} of ${RUNS}`);
  row(`3 % slowdown found (${size})`, `${claims.slowed} of ${RUNS}`);
}

function draw<T>(from: readonly T[], count: number, random: Random): T[] {
  const left = [...from];
  return Array.from({ length: count }, () => left.splice(drawBelow(random, left.length), 1)[0] as T);
}

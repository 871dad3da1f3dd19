import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRun, type Sample } from "@evenbench/results";
import { run } from "@evenbench/runner";
import { analyseCase, drawBelow, type Random, seededRandom } from "@evenbench/stats";
import { type Copies, NEVER_PRECISE, SIZES } from "./copies.ts";
import { row } from "./print.ts";

const RUNS = 100;
const WORDS = { lastByteMs: "time", cpuMs: "CPU time" } as const;

/** What is compared, and which copies with the original. */
interface Question {
  readonly caseId: string;
  readonly metric: keyof typeof WORDS;
  readonly names: readonly string[];
}

/** Trials to draw runs from. */
const POOL = 30;

/**
 * False alarms and power of the verdict: 100 runs drawn from the trials of one long run with a copy and
 * slowed copies. The draws share the trials.
 */
export async function control({ caseManifest, otherCaseIds, targets }: Copies): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), "evenbench-control-"));
  try {
    const [node] = targets;
    const { folder } = await run({
      targets,
      cases: { [node?.app.id ?? ""]: [caseManifest] },
      otherCaseIds,
      // The slowed copies are other artifacts; that is the point of them.
      allow: ["artifact"],
      trials: POOL,
      precision: NEVER_PRECISE,
      seed: 1,
      out,
    });
    const samples = [...(await readRun(folder)).samples].filter(({ phase }) => phase === "measure");
    const names = targets.slice(1).map(({ name }) => name);
    const byTrial = Map.groupBy(samples, ({ trial }) => trial);
    for (const metric of ["lastByteMs", "cpuMs"] as const) {
      const question = { caseId: caseManifest.id, metric, names };
      whole(samples, question);
      for (const trials of SIZES) report([...byTrial.values()], trials, question);
    }
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** What the whole pool says of each copy: how far it really is from the original. */
function whole(samples: readonly Sample[], question: Question) {
  for (const { target, ratio } of compare(samples, question, 0)) {
    if (ratio === null) continue;
    const [estimate, low, high] = [ratio.estimate, ratio.low, ratio.high].map((value) => value.toFixed(3));
    row(`${target} / node, ${WORDS[question.metric]}, all ${POOL} trials`, `${estimate} (${low}-${high})`);
  }
}

function compare(samples: readonly Sample[], { caseId, metric, names }: Question, _seed: number) {
  return analyseCase(samples, {
    caseId,
    metric,
    baseline: "node",
    copy: "node~copy",
    targets: ["node", ...names, "node~copy"],
  }).comparisons;
}

function report(pool: readonly Sample[][], trials: number, question: Question) {
  if (pool.length < 2 * trials) return;
  const random = seededRandom(trials);
  const claims = new Map(question.names.map((name) => [name, 0]));
  for (let index = 0; index < RUNS; index++) {
    const drawn = draw(pool, trials, random).flatMap((samples, trial) =>
      samples.map((sample) => ({ ...sample, trial })),
    );
    for (const { target, verdict } of compare(drawn, question, index)) {
      const isClaim = verdict === "slower" || (target === "copy" && verdict === "faster");
      if (isClaim) claims.set(target, (claims.get(target) ?? 0) + 1);
    }
  }
  const size = `${WORDS[question.metric]}, ${trials} trials`;
  for (const [name, count] of claims) row(`${name} called different (${size})`, `${count} of ${RUNS}`);
}

function draw<T>(from: readonly T[], count: number, random: Random): T[] {
  const left = [...from];
  return Array.from({ length: count }, () => left.splice(drawBelow(random, left.length), 1)[0] as T);
}

import { join } from "node:path";
import { type Identity, messageOf } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { readRun, type UnmeasuredSide } from "@evenbench/results";
import { type LocalTarget, type Progress, RunError, run } from "@evenbench/runner";
import { analyseComparison } from "./analyse.ts";
import type { Compared, ComparisonPlan, Side } from "./define.ts";
import { deployableOf, targetOfSide } from "./sides.ts";

/** A comparison ends early when its intervals are narrower than this, as a fraction. */
const PRECISION = 0.02;

export interface Bench {
  readonly experimentId: string;
  readonly folder: string;
  readonly seed: number;
  readonly signal: AbortSignal;
  /**
   * Whether the user said how long an experiment may take: then warm-up ends with that time, too. Else three
   * trials are measured in any case, each of them warm.
   */
  readonly isTimeGiven: boolean;
  /** Keeps what sides are found to need to be warm; null: nothing is kept. */
  readonly warmUpFile: string | null;
  /** By name. */
  readonly targets: ReadonlyMap<string, LocalTarget>;
  /** Why targets cannot be used, by name, and builds of sides, by their folder. */
  readonly missing: ReadonlyMap<string, string>;
  showProgress(
    comparisonId: string,
    progress: Pick<Progress, "phase" | "trial" | "trials" | "roundIndex">,
  ): void;
  readonly identities: Identity[];
}

/** The target that a side is to be, ready to be served. @throws {Error} when there is none. */
export function sourceOf(bench: Bench, side: Side): LocalTarget {
  const target = bench.targets.get(side.target);
  if (target === undefined) throw new Error(`there is no target "${side.target}".`);
  const why = bench.missing.get(deployableOf(bench.experimentId, side) ?? side.target);
  if (why !== undefined) throw new Error(why);
  return targetOfSide(bench.experimentId, side, target);
}

/**
 * Measures sides interleaved, as a run measures targets, the first side against its A/A copy. Without its first side a
 * comparison has no result but the reason.
 */
export async function compareSides(plan: ComparisonPlan, bench: Bench, timeMs: number): Promise<Compared> {
  const without: UnmeasuredSide[] = [];
  const targets = plan.sides.flatMap((side) => {
    try {
      return [sourceOf(bench, side)];
    } catch (error) {
      without.push({ name: side.name, why: messageOf(error) });
      return [];
    }
  });
  const folder = join(bench.folder, plan.id);
  const [first] = plan.sides;
  if (first === undefined || targets[0]?.name !== first.name)
    return { result: nothing(plan, without), samples: [] };
  const app = targets[0].app;
  const manifests = (await app.cases()).filter(({ id }) => id === plan.caseId);
  if (manifests.length === 0) throw new Error(`No target of the comparison serves a case "${plan.caseId}".`);
  // Where the number of trials is given, nothing ends early.
  const mayEndEarly = plan.trials === undefined && plan.mostTrials === undefined;
  const done = await run({
    targets,
    cases: { [app.id]: manifests },
    sides: true,
    baseline: first.name,
    workers: Math.max(1, ...plan.sides.map(({ start }) => start?.workers ?? 1)),
    spacing: plan.spacing ?? 1,
    pauseMs: plan.pauseMs ?? 0,
    trials: plan.trials ?? null,
    ...(plan.mostTrials !== undefined && { mostTrials: plan.mostTrials }),
    precision: mayEndEarly ? (plan.precision ?? PRECISION) : 0,
    ...(bench.isTimeGiven ? { timeMs } : { totalMs: timeMs }),
    exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
    warmUpFile: bench.warmUpFile,
    seed: bench.seed,
    out: { id: plan.id, folder },
    signal: bench.signal,
    onProgress: (progress) =>
      bench.showProgress(plan.id, { ...progress, trials: Math.max(1, progress.trials) }),
  }).catch((error: unknown) => {
    if (error instanceof RunError) return error;
    throw error;
  });
  const { run: record, samples } = await readRun(folder);
  bench.identities.push(...Object.values(record.identities));
  const isMeasured = ({ name }: Side) => record.identities[name] !== undefined;
  const dropped = record.events.flatMap(({ target, detail }) => {
    const side = plan.sides.find(({ name }) => name === target);
    return side === undefined || isMeasured(side) ? [] : [{ name: side.name, why: detail }];
  });
  const unmeasured = [...dropped, ...without];
  if (done instanceof RunError) {
    if (isMeasured(first)) throw done;
    return { result: nothing(plan, unmeasured), samples: [] };
  }
  const measured = [...samples].filter(({ phase }) => phase === "measure");
  const expected = done.expectations[plan.caseId] ?? {};
  const result = analyseComparison({
    plan,
    sides: plan.sides.flatMap((side) => {
      const own = expected[side.name];
      return own === undefined ? [] : [{ side, request: { expected: own } }];
    }),
    unmeasured,
    samples: measured,
    ...{ usage: record.usage, warmUps: record.warmUps, seed: bench.seed },
    // What was not measured has its own place.
    events: record.events.flatMap(({ kind, detail }) =>
      kind === "target-dropped" && dropped.some(({ why }) => why === detail) ? [] : [detail],
    ),
  });
  return { result, samples: measured };
}

function nothing({ id, caseId }: ComparisonPlan, unmeasured: readonly UnmeasuredSide[]): Compared["result"] {
  return { id, caseId, sides: [], unmeasured, contrasts: [], control: null, trials: 0, events: [] };
}

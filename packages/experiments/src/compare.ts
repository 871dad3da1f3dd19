import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { CaseManifest, Identity, Run, RunMachine, Sample, UnmeasuredSide } from "@evenbench/core";
import type { LocalTarget } from "@evenbench/runner";
import {
  type CaseCost,
  CaseWork,
  type Contender,
  type CoresApart,
  DIGEST_EVERY,
  firstEntry,
  type InstanceSettings,
  LEAST_GENERATIONS,
  Recorder,
  runCase,
  runTargetOf,
  type Session,
  worthwhileGenerationMs,
} from "@evenbench/runner/engine";
import { startServices } from "@evenbench/services";
import { analyseComparison, twinOf } from "./analyse.ts";
import type { Compared, ComparisonPlan, Side } from "./define.ts";
import { deployableOf, targetOfSide } from "./sides.ts";
import { describeDifferences, type VerifiedSide, verifySide } from "./verify.ts";

/** A comparison ends early when its intervals are narrower than this, as a fraction. */
const PRECISION = 0.02;
/** Sides that start slowly get fewer sets of fresh instances than an ordinary run has: the time is a bound. */
const FEWEST_GENERATIONS = 3;
const MOST_GENERATIONS = 15;
const EXCHANGE_TIMEOUT_MS = 30_000;

/** Where and for whom sides are measured. */
export interface Bench {
  readonly experimentId: string;
  /** The experiment's folder. */
  readonly folder: string;
  readonly machine: RunMachine;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly cores: CoresApart;
  /** By name. */
  readonly targets: ReadonlyMap<string, LocalTarget>;
  /** Why targets cannot be used, by name, and builds of sides, by their folder. */
  readonly missing: ReadonlyMap<string, string>;
  showProgress(comparisonId: string, progress: Parameters<Session["showProgress"]>[0]): void;
  /** What each side that was started said of itself; grows. */
  readonly identities: Identity[];
}

/** The target that a side is to be, ready to be served. @throws {Error} when there is none. */
export function sourceOf(bench: Bench, side: Side): LocalTarget {
  const target = bench.targets.get(side.target);
  if (target === undefined) throw new Error(`there is no target "${side.target}".`);
  const why = bench.missing.get(deployableOf(bench.experimentId, side) ?? side.target);
  if (why !== undefined) throw new Error(why);
  return targetOfSide(bench.experimentId, side, target, bench.cores);
}

/**
 * Measures sides interleaved, as an ordinary run measures targets: each verified first, then sets of fresh instances, rounds in random
 * order, the first side against its twin. Everything goes into a run folder of its own, `<folder>/<id>`. Without its first side a
 * comparison has no result but the reason.
 *
 * @param timeMs for everything: verification, starts, warm-up.
 */
export async function compareSides(plan: ComparisonPlan, bench: Bench, timeMs: number): Promise<Compared> {
  const begun = performance.now();
  const folder = join(bench.folder, plan.id);
  await mkdir(folder, { recursive: true });
  const manifest = await manifestOf(plan, bench);
  const place = { logFolder: join(folder, "logs"), cores: bench.cores.split?.servers ?? null };
  await using services = await startServices(manifest.services, place);
  const setting: Setting = {
    plan,
    bench,
    folder,
    begun,
    manifest,
    instanceSettings: {
      ...place,
      workers: Math.max(1, ...plan.sides.map(({ start }) => start?.workers ?? 1)),
      environment: services.environment,
      exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
    },
  };
  const { sides, unmeasured } = await verifySides(setting);
  const differences = describeDifferences(sides);
  const isComparable = sides.length > 0 && sides[0]?.side === plan.sides[0] && !bench.signal.aborted;
  const budgetMs = Math.max(0, timeMs - (performance.now() - begun));
  const measured = isComparable ? await measureSides(setting, sides, budgetMs) : NOTHING;
  const { samples, run } = measured;
  const result = analyseComparison({
    plan,
    sides: isComparable ? sides : [],
    unmeasured,
    samples,
    usage: run?.usage ?? [],
    events: [...differences, ...(run?.events ?? []).map(({ detail }) => detail)],
    seed: bench.seed,
  });
  return { result, samples };
}

/** One comparison, and what it runs with. */
interface Setting {
  readonly plan: ComparisonPlan;
  readonly bench: Bench;
  readonly folder: string;
  /** As `performance.now()` has it. */
  readonly begun: number;
  readonly manifest: CaseManifest;
  readonly instanceSettings: InstanceSettings;
}

interface Measured {
  readonly samples: readonly Sample[];
  readonly run: Run | null;
}

const NOTHING: Measured = { samples: [], run: null };

/** One after the other; those that cannot be measured are told with the reason. */
async function verifySides({ plan, bench, manifest, instanceSettings }: Setting) {
  const sides: VerifiedSide[] = [];
  const unmeasured: UnmeasuredSide[] = [];
  for (const side of plan.sides) {
    if (bench.signal.aborted) break;
    bench.showProgress(plan.id, AT_START);
    try {
      sides.push(await verifySide(side, sourceOf(bench, side), manifest, instanceSettings));
    } catch (error) {
      unmeasured.push({ name: side.name, why: error instanceof Error ? error.message : String(error) });
    }
  }
  bench.identities.push(...sides.map(({ identity }) => identity));
  return { sides, unmeasured };
}

async function measureSides(
  setting: Setting,
  sides: readonly VerifiedSide[],
  budgetMs: number,
): Promise<Measured> {
  const { plan, bench, folder, begun, manifest, instanceSettings } = setting;
  const { seed, signal } = bench;
  const contenders = contendersOf(sides);
  const runPlan = runPlanOf(setting, contenders, sides, budgetMs);
  const identities = Object.fromEntries(sides.map(({ side, identity }) => [side.name, identity]));
  const requests = new Map(sides.map(({ side, request }) => [side.name, request]));
  const recorder = new Recorder(folder, begun, firstEntry(plan.id, runPlan, bench.machine), undefined);
  try {
    await recorder.save({ identities });
    const showProgress: Session["showProgress"] = (progress) => bench.showProgress(plan.id, progress);
    const work = new CaseWork(
      {
        seed,
        signal,
        startedAt: begun,
        recorder,
        instanceSettings,
        identities,
        providerCpu: null,
        showProgress,
      },
      {
        manifest,
        requestOf({ name, twinOf: original }) {
          const request = requests.get(original ?? name);
          if (request === undefined) throw new Error(`${name} was not verified.`);
          return request;
        },
        contenders,
        rounds: null,
        generations: runPlan.generations.maximum,
        keepSamples: true,
        hasFloor: false,
      },
    );
    await runCase(work, budgetMs, runPlan.precision);
    recorder.flush();
    const status = signal.aborted ? "interrupted" : recorder.has("case-failed") ? "failed" : "complete";
    const run = await recorder.save({ status, finishedAt: new Date().toISOString() });
    return { samples: work.samples ?? [], run };
  } finally {
    recorder.close();
  }
}

function runPlanOf(
  { plan, bench, manifest }: Setting,
  contenders: readonly Contender[],
  sides: readonly VerifiedSide[],
  budgetMs: number,
): Run["plan"] {
  const cost = {
    // The twin's exchange comes on top.
    roundMs: sides.reduce((sum, { exchangeMs }, index) => sum + exchangeMs * (index === 0 ? 2 : 1), 0),
    startMs: sides.reduce((sum, { startMs }) => sum + startMs, 0),
  };
  const most = plan.generations ?? generationsFor(budgetMs, cost, plan.mostGenerations);
  return {
    cases: [manifest],
    targets: contenders.map(runTargetOf),
    seed: bench.seed,
    caseBudgetMs: { [manifest.id]: budgetMs },
    generations: { minimum: plan.generations ?? Math.min(LEAST_GENERATIONS, most), maximum: most },
    roundsPerGeneration: null,
    precision: mayEndEarly(plan) ? (plan.precision ?? PRECISION) : 0,
    coldStarts: 0,
    digestEvery: DIGEST_EVERY,
    allowedPins: [],
  };
}

/**
 * As many sets as are worth their start, within bounds: more sets narrow an interval more than longer ones do, since Student's t falls with their number and
 * instances differ beyond their rounds.
 *
 * @param cost of all sides together.
 */
export function generationsFor(budgetMs: number, cost: CaseCost, most = MOST_GENERATIONS): number {
  const affordable = Math.floor(budgetMs / worthwhileGenerationMs(cost));
  return Math.min(most, Math.max(FEWEST_GENERATIONS, affordable));
}

/** Where the number of sets is given, nothing ends early. */
function mayEndEarly({ generations, mostGenerations }: ComparisonPlan): boolean {
  return generations === undefined && mostGenerations === undefined;
}

const AT_START = { phase: "preflight", caseId: null, generation: 0, generations: 1, roundIndex: 0 } as const;

function contendersOf(verified: readonly VerifiedSide[]): Contender[] {
  const contenders = verified.map(
    ({ side, source }): Contender => ({ name: side.name, source, twinOf: null }),
  );
  const [first] = contenders;
  if (first === undefined) return [];
  return [...contenders, { ...first, name: twinOf(first.name), twinOf: first.name }];
}

async function manifestOf({ caseId, sides }: ComparisonPlan, { targets }: Bench): Promise<CaseManifest> {
  const app = targets.get(sides[0]?.target ?? "")?.app;
  const manifest = (await app?.cases())?.find(({ id }) => id === caseId);
  if (manifest === undefined) throw new Error(`No target of the comparison serves a case "${caseId}".`);
  return manifest;
}

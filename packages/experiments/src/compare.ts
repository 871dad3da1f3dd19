import { join } from "node:path";
import type { CaseManifest, Identity } from "@evenbench/core";
import { messageOf } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import type { Run, Sample, UnmeasuredSide } from "@evenbench/results";
import type { LocalTarget } from "@evenbench/runner";
import {
  CaseCourse,
  type CaseSession,
  CaseWork,
  type Ended,
  expectCost,
  firstEntry,
  type MeasuringSession,
  measure,
  measureInTurns,
  Purse,
  RUN_FORMAT,
  readDeployables,
} from "@evenbench/runner/engine";
import { analyseComparison } from "./analyse.ts";
import { firstPlan, planWithTime } from "./comparison-plan.ts";
import type { Compared, ComparisonPlan, Side } from "./define.ts";
import { needsOfSides, requestsOf, subjectsOf, timesSeen } from "./side-subjects.ts";
import { deployableOf, targetOfSide } from "./sides.ts";
import { describeDifferences, type VerifiedSide, verifySide } from "./verify.ts";

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
  showProgress(comparisonId: string, progress: Parameters<CaseSession["showProgress"]>[0]): void;
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
 * Measures sides interleaved, as a run measures targets, the first side against its A/A copy. Without its
 * first side a comparison has no result but the reason.
 */
export async function compareSides(plan: ComparisonPlan, bench: Bench, timeMs: number): Promise<Compared> {
  const endsAt = performance.now() + timeMs;
  const manifest = await manifestOf(plan, bench);
  const runPlan = firstPlan(plan, manifest, bench.seed);
  let seen: SidesSeen = { sides: [], unmeasured: [], samples: [], isComparable: false };
  const { record } = await measure<Run, Sample>(
    {
      place: { id: plan.id, folder: join(bench.folder, plan.id) },
      serverCores: runPlan.serverCores,
      services: manifest.services,
      workers: Math.max(1, ...plan.sides.map(({ start }) => start?.workers ?? 1)),
      exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
      warmUpFile: bench.warmUpFile,
      signal: bench.signal,
      format: RUN_FORMAT,
      firstEntry: (shell) => firstEntry(shell, runPlan),
    },
    async (session) => {
      const setting = { plan, bench, manifest, session, endsAt };
      const verified = await verifySides(setting);
      const isComparable = verified.sides[0]?.side === plan.sides[0] && !bench.signal.aborted;
      const samples = isComparable ? await measureSides(setting, verified.sides) : [];
      seen = { ...verified, samples, isComparable };
      return endOf(session, isComparable);
    },
  );
  const { sides, unmeasured, samples, isComparable } = seen;
  const result = analyseComparison({
    plan,
    sides: isComparable ? sides : [],
    unmeasured,
    samples,
    usage: record.usage,
    warmUps: record.warmUps,
    events: [...describeDifferences(sides), ...record.events.map(({ detail }) => detail)],
    seed: bench.seed,
  });
  return { result, samples };
}

interface SidesSeen {
  readonly sides: readonly VerifiedSide[];
  readonly unmeasured: readonly UnmeasuredSide[];
  readonly samples: readonly Sample[];
  /** Whether its first side is among them: without it nothing is measured. */
  readonly isComparable: boolean;
}

interface Setting {
  readonly plan: ComparisonPlan;
  readonly bench: Bench;
  readonly manifest: CaseManifest;
  readonly session: MeasuringSession<Run, Sample>;
  /** As `performance.now()` has it. */
  readonly endsAt: number;
}

function endOf({ signal, recorder }: Setting["session"], isComparable: boolean): Ended {
  if (signal.aborted) return "interrupted";
  return !isComparable || recorder.has("case-failed") ? "failed" : "complete";
}

/** One after the other; those that cannot be measured are named with the reason. */
async function verifySides({ plan, bench, manifest, session }: Setting) {
  const sides: VerifiedSide[] = [];
  const unmeasured: UnmeasuredSide[] = [];
  for (const side of plan.sides) {
    if (bench.signal.aborted) break;
    bench.showProgress(plan.id, AT_START);
    try {
      sides.push(await verifySide(side, sourceOf(bench, side), manifest, session.instanceSettings));
    } catch (error) {
      unmeasured.push({ name: side.name, why: messageOf(error) });
    }
  }
  bench.identities.push(...sides.map(({ identity }) => identity));
  return { sides, unmeasured };
}

const AT_START = { phase: "preflight", caseId: null, trial: 0, trials: 1, roundIndex: 0 } as const;

async function measureSides(setting: Setting, sides: readonly VerifiedSide[]): Promise<readonly Sample[]> {
  const { plan, bench, manifest, session, endsAt } = setting;
  const { recorder } = session;
  const identities = Object.fromEntries(sides.map(({ side, identity }) => [side.name, identity]));
  const deployables = await readDeployables(sides.map(({ target }) => target));
  await recorder.save({ identities, deployables });
  const subjects = subjectsOf(sides);
  const remembered = needsOfSides(session, sides);
  const cost = expectCost(subjects, remembered.needs, timesSeen(sides), plan.pauseMs);
  const budgetMs = Math.max(0, endsAt - performance.now());
  const runPlan = planWithTime(recorder.record.plan, subjects, budgetMs);
  await recorder.save({ plan: runPlan });
  const work = new CaseWork(sharedWith(setting, identities), {
    manifest,
    requestOf: requestsOf(sides),
    subjects,
    rounds: null,
    trials: runPlan.trials.maximum,
    spacing: runPlan.spacing,
    pauseMs: runPlan.pauseMs,
    warmUps: remembered.needs,
    notesArrivals: false,
    hasTransfer: false,
  });
  const course = new CaseCourse(work, {
    purse: new Purse(budgetMs),
    budgetMs: bench.isTimeGiven ? budgetMs : null,
    least: runPlan.trials.minimum,
    cost,
  });
  await measureInTurns([course], runPlan.precision);
  remembered.keep();
  return work.samples;
}

function sharedWith({ plan, bench, session }: Setting, identities: CaseSession["identities"]): CaseSession {
  const { signal, startedAt, recorder, instanceSettings } = session;
  return {
    seed: bench.seed,
    signal,
    startedAt,
    recorder,
    instanceSettings,
    identities,
    providerCpu: null,
    patience: null,
    warmTogether: 1,
    askTogether: 1,
    showProgress: (progress) => bench.showProgress(plan.id, progress),
  };
}

async function manifestOf({ caseId, sides }: ComparisonPlan, { targets }: Bench): Promise<CaseManifest> {
  const app = targets.get(sides[0]?.target ?? "")?.app;
  const manifest = (await app?.cases())?.find(({ id }) => id === caseId);
  if (manifest === undefined) throw new Error(`No target of the comparison serves a case "${caseId}".`);
  return manifest;
}

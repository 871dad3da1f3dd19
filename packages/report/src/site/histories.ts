// What the runs of a place found, from run to run.
import type { CaseFacts, Change, Facts, Level, Metric, TargetFacts } from "../facts/facts.ts";
import { byEffect } from "../facts/run-facts.ts";
import { isDecided } from "../words/mark.ts";
import { dayOf } from "../words/names.ts";
import { type GalleryRun, isFull, seriesKeyOf, titleOf, withoutShortCases } from "./series.ts";

/** Largest number of runs that are drawn, the newest ones: more cannot be told apart. */
const DRAWN = 120;

/** A change of versions between two runs of a place that follow each other. */
interface VersionChange {
  /** Index of the later run among those of its place. */
  readonly index: number;
  /** Number of the change among those of its place, from 1: figures and lists call it by this number. */
  readonly number: number;
  /** What changed, from which version to which: "workerd 1.0 to workerd 2.0". */
  readonly what: readonly string[];
  /** The versions of the later run that are new. */
  readonly now: readonly string[];
  /** Day on which the later run began, in UTC: "2026-11-27". */
  readonly day: string;
}

/** What one run says of one target in one case. */
export interface Point {
  /** Index of the run among those of its place, oldest first. */
  readonly index: number;
  readonly run: GalleryRun;
  readonly level: Level;
  /** How it compares with its baseline; null for the baseline. */
  readonly change: Change | null;
}

/** A change of what is found of a target, from one run to the next one. */
interface FoundChange {
  readonly before: Change;
  readonly after: Change;
  /** Day on which the later run began, in UTC. */
  readonly day: string;
  /** The versions that are new in the later run. */
  readonly versions: readonly string[];
}

/** The results of one target in one case by one metric, from run to run. */
export interface TargetHistory {
  /** The target, as its newest run has it. */
  readonly target: TargetFacts;
  /** Oldest first; at least one. */
  readonly points: readonly Point[];
  readonly newest: Point;
  /** The newest change of what was found: another verdict, or an interval beside the one before; null without any. */
  readonly changed: FoundChange | null;
}

/** The runs that were measured at one place with the same servers, so that they make one series. */
export interface History {
  /** The place, in words. */
  readonly place: string;
  /** The newest runs that are drawn, oldest first; at least one. */
  readonly runs: readonly GalleryRun[];
  /** Number of all runs of the place, with those that are too old to be drawn. */
  readonly allRuns: number;
  /** Number of smoke tests and of runs without a verdict: they are not shown, unless there is no other run. */
  readonly leftOut: number;
  /** false where all of its runs are such. */
  readonly hasFull: boolean;
  /** Changes of versions between these runs, oldest first. */
  readonly changes: readonly VersionChange[];
  /** What stands now, as facts: of each target in each case what its newest run found. */
  readonly standing: Facts;
  readonly cases: readonly CaseHistory[];
}

/** All results of one case at one place. */
export interface CaseHistory {
  readonly case: CaseFacts;
  readonly time: readonly TargetHistory[];
  /** CPU times of each target that has any. */
  readonly cpuTime: readonly TargetHistory[];
}

/** Groups a gallery's runs by place, and the results of each place by case. The place of the newest run is first. */
export function historiesOf(newestFirst: readonly GalleryRun[]): readonly History[] {
  const groups = Map.groupBy(newestFirst, ({ facts }) => seriesKeyOf(facts));
  return [...groups.values()].map(historyOf);
}

function historyOf(atPlace: readonly GalleryRun[]): History {
  const full = atPlace.map(withoutShortCases).filter(({ facts }) => isFull(facts));
  const shown = full.length === 0 ? atPlace : full;
  // Oldest first: what is said of a run says it by its index here.
  const runs = shown.slice(0, DRAWN).reverse();
  const changes = versionChangesIn(runs);
  const newest = runs.at(-1) as GalleryRun;
  const points = pointsIn(runs);
  const casesById = new Map(runs.flatMap(({ facts }) => facts.cases.map((each) => [each.id, each])));
  const cases = [...casesById.values()].flatMap((ofCase): readonly CaseHistory[] => {
    const of = (metric: Metric) => historiesIn(points, ofCase.id, metric, changes);
    const time = of("lastByteMs");
    return time.length === 0 ? [] : [{ case: ofCase, time, cpuTime: of("cpuMs") }];
  });
  const standing = standingOf(newest.facts, cases);
  return {
    place: titleOf(newest.facts),
    runs,
    allRuns: shown.length,
    leftOut: atPlace.length - shown.length,
    hasFull: full.length > 0,
    changes,
    standing,
    cases: standing.cases.flatMap(({ id }) => cases.find((each) => each.case.id === id) ?? []),
  };
}

/** Finds where versions changed from one run to the next, oldest first. */
function versionChangesIn(runs: readonly GalleryRun[]): readonly VersionChange[] {
  const known = new Map<string, string>();
  const all = runs.map(({ facts }, index) => {
    const what = new Set<string>();
    const now = new Set<string>();
    for (const [name, version] of versionsOf(facts)) {
      const then = known.get(name) ?? version;
      if (then !== version) {
        what.add(`${then} to ${version}`);
        now.add(version);
      }
      known.set(name, version);
    }
    return { index, what: [...what], now: [...now], day: dayOf(facts) };
  });
  const found = all.filter(({ what }) => what.length > 0);
  return found.map((change, place) => ({ ...change, number: place + 1 }));
}

/** Lists the versions that may change from one run to the next on one machine, by what has them. */
function versionsOf({ run, targets }: Facts): readonly (readonly [name: string, version: string])[] {
  const runtimes = targets.flatMap(({ name, runtime }) =>
    runtime === null ? [] : [[`target ${name}`, runtime] as const],
  );
  const system = run.machine === null ? [] : [["system", run.machine.system] as const];
  return [...runtimes, ...system, ["Evenbench", `Evenbench ${run.evenbench}`]];
}

/** Takes of each run what it says of each target, newest run first. */
function pointsIn(runs: readonly GalleryRun[]): readonly Point[] {
  const each = runs.map((run, index) =>
    run.facts.levels.flatMap((level): readonly Point[] => {
      const change = run.facts.changes.find(
        (found) =>
          found.case === level.case && found.target === level.target && found.metric === level.metric,
      );
      return level.value === null ? [] : [{ index, run, level, change: change ?? null }];
    }),
  );
  return each.toReversed().flat();
}

function historiesIn(
  newestFirst: readonly Point[],
  caseId: string,
  metric: Metric,
  changes: readonly VersionChange[],
): readonly TargetHistory[] {
  const own = newestFirst.filter(({ level }) => level.case === caseId && level.metric === metric);
  return [...Map.groupBy(own, ({ level }) => level.target)].flatMap(([name, found]) => {
    const [newest] = found;
    const target = newest?.run.facts.targets.find((each) => each.name === name);
    if (newest === undefined || target === undefined) {
      return [];
    }
    const points = found.toReversed();
    return [{ target, points, newest, changed: newestChange(points, changes) }];
  });
}

/** Makes facts of what stands now: those of the newest run, with what the newest run of each case found. */
function standingOf(newest: Facts, cases: readonly CaseHistory[]): Facts {
  const histories = cases.flatMap(({ time, cpuTime }) => [...time, ...cpuTime]);
  const changes = histories.flatMap(({ newest: { change } }) => change ?? []);
  const all = [...newest.targets, ...histories.map(({ target }) => target)];
  const targets = all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
  const ofCases = cases.map((each) => each.case);
  return {
    ...newest,
    cases: byEffect(ofCases, ({ id }) => id, changes, targets),
    targets,
    levels: histories.map(({ newest: { level } }) => level),
    changes,
  };
}

/**
 * Gives what stands now at a place as facts of the runs that found it: what the newest run says of each target and
 * case.
 */
export function standingRuns({ cases }: History): readonly Facts[] {
  const newest = cases.flatMap(({ time, cpuTime }) =>
    time.flatMap(({ newest: point }) => {
      const ofCpu = cpuTime.map((each) => each.newest);
      const same = ofCpu.filter(({ run, level }) => run === point.run && level.target === point.level.target);
      return [point, ...same];
    }),
  );
  return [...Map.groupBy(newest, ({ run }) => run)].map(([{ facts }, points]) => ({
    ...facts,
    cases: facts.cases.filter(({ id }) => points.some(({ level }) => level.case === id)),
    levels: points.map(({ level }) => level),
    changes: points.flatMap(({ change }) => change ?? []),
  }));
}

/** Finds the newest two neighbours among the judged runs of a target that do not say the same. */
function newestChange(points: readonly Point[], changes: readonly VersionChange[]): FoundChange | null {
  const judged = points.flatMap(({ index, run, change }) =>
    change !== null && change.estimate !== null ? [{ index, run, change }] : [],
  );
  for (let at = judged.length - 1; at > 0; at -= 1) {
    const later = judged[at];
    const earlier = judged[at - 1];
    if (later === undefined || earlier === undefined || isAlike(earlier.change, later.change)) {
      continue;
    }
    const between = changes.filter(({ index }) => index > earlier.index && index <= later.index);
    return {
      before: earlier.change,
      after: later.change,
      day: dayOf(later.run.facts),
      versions: between.flatMap(({ now }) => now),
    };
  }
  return null;
}

/** Two findings are alike where nothing tells them apart: an open one contradicts none whose interval meets its own. */
function isAlike(before: Change, after: Change): boolean {
  const isBelow = (one: Change, other: Change) =>
    one.high !== null && other.low !== null && one.high < other.low;
  const isApart = isBelow(before, after) || isBelow(after, before);
  const isOpen = !isDecided(before) || !isDecided(after);
  return !isApart && (isOpen || before.verdict === after.verdict);
}

import type { Run, RunMachine, SummaryRatio, SummaryRow } from "@evenbench/results";
import { asRatio, judge, type RatioInterval, sum, type Verdict } from "@evenbench/stats";
import { unlike } from "../across/objections.ts";
import { coursesOf, isTime, type Point, versionFacts } from "../across/series.ts";
import type { SummarisedRun } from "../analyse-run.ts";
import { processorOf, shownTargets, spokenOf } from "../names.ts";
import { caseLinks } from "../repeat.ts";

/** Newest runs that are drawn: more cannot be told apart. */
const DRAWN = 120;
const POOLED = 5;
const REACH = 2.576;

export interface GalleryRun extends SummarisedRun {
  readonly machine: RunMachine;
  /** Whether report and picture are there. */
  readonly isWhole: boolean;
}

/** All runs of one machine that measured here, or over the network: the two are never one series. */
export type History = ReturnType<typeof historiesOf>[number];
export type TargetCourse = ReturnType<typeof targetsIn>[number];
export type Standing = NonNullable<ReturnType<typeof standingOf>>;

export function historiesOf(newestFirst: readonly GalleryRun[]) {
  const groups = [...Map.groupBy(newestFirst, seriesName)].map(([name, own]) => {
    // Oldest first: what is said of a run says it by its index here.
    const runs = own.slice(0, DRAWN).reverse();
    const changes = changesIn(runs);
    const from = Math.max(0, runs.length - POOLED, changes.at(-1)?.index ?? 0);
    const cpuTimes = targetsIn(runs, from, ({ metric }) => metric === "cpuMs");
    const cases = Map.groupBy(targetsIn(runs, from, isTime), ({ caseId }) => caseId);
    return {
      ...{ name, isDeployed: own.some(({ run }) => isDeployed(run)), runs, changes },
      /** What stands now is of the runs from this one on. */
      from,
      cases: [...cases].flatMap(([id, time]) => {
        const newest = time[0]?.newest.run;
        const manifest = newest?.plan.cases.find((one) => one.id === id);
        if (newest === undefined || manifest === undefined) return [];
        const source = caseLinks({ manifest, targets: time.map(({ target }) => target) }, newest).url;
        const cpuTime = cpuTimes.filter(({ caseId }) => caseId === id);
        return [{ id, title: manifest.title, source, time, cpuTime }];
      }),
    };
  });
  return groups.sort((a, b) => Number(a.isDeployed) - Number(b.isDeployed));
}

function isDeployed({ plan }: Run): boolean {
  return plan.targets.some(({ place }) => place === "url");
}

/** "AMD EPYC, 2 cores, 24 GiB". Its system is a version: that changes while the machine stays. */
export function seriesName({ run, machine }: GalleryRun): string {
  const name = `${processorOf(machine)}, ${Math.round(machine.memoryBytes / 2 ** 30)} GiB`;
  return isDeployed(run) ? `Deployed, from ${name}` : name;
}

function changesIn(runs: readonly GalleryRun[]) {
  let known = new Map<string, string>();
  const all = runs.map((one, index) => {
    const told = versionFacts(one.run);
    const what = unlike(known, told, (name, then, now) => `${name} ${then} to ${now}`).join("; ");
    known = new Map([...known, ...told]);
    return { index, what, day: one.run.startedAt.slice(0, 10) };
  });
  return all.filter(({ what }) => what !== "").map((one, place) => ({ ...one, number: place + 1 }));
}

/** Names and colours are those of a target's newest run. */
function targetsIn(runs: readonly GalleryRun[], from: number, isAsked: (row: SummaryRow) => boolean) {
  const originals = runs.flatMap(({ run }) => run.plan.targets.filter(({ copyOf }) => copyOf === null));
  const targets = shownTargets([...new Map(originals.map((one) => [one.name, one])).values()]);
  return coursesOf(runs, isAsked).map((course) => ({
    ...course,
    ...{ name: spokenOf(targets, course.target), baseline: spokenOf(targets, course.newest.row.baseline) },
    colour: targets.find(({ name }) => name === course.target)?.colour ?? 0,
    isCompared: course.points.some(({ row }) => row.verdict !== null),
    /** null where it was not compared lately. */
    current: standingOf(course.points.filter(({ index }) => index >= from)),
  }));
}

export function standingOf(points: readonly Point[]) {
  const compared = points.map(({ row }) => row).filter(({ verdict }) => verdict !== null);
  if (compared.length === 0) return null;
  const warm = compared.filter(({ verdict }) => verdict !== "not warm");
  const ratio = pooled(warm.flatMap((one) => one.ratio ?? []));
  const judged: Verdict = ratio === null ? "inconclusive" : judge(ratio).verdict;
  return { ratio, verdict: 2 * warm.length < compared.length ? "not warm" : judged };
}

/** Each by its certainty, and by what runs differ beyond that (DerSimonian and Laird, 1986). */
export function pooled(ratios: readonly SummaryRatio[]): RatioInterval | null {
  const [only] = ratios;
  if (ratios.length < 2) return only === undefined ? null : only;
  const logs = ratios.map(({ estimate }) => Math.log(estimate));
  const variances = ratios.map(({ low, high }) => Math.max(1e-12, (Math.log(high / low) / (2 * REACH)) ** 2));
  const weighted = (between: number) => {
    const weights = variances.map((variance) => 1 / (variance + between));
    return {
      weights,
      all: sum(weights),
      mean: sum(logs.map((log, one) => log * (weights[one] ?? 0))) / sum(weights),
    };
  };
  const { weights, all: fixed, mean: middle } = weighted(0);
  const scatter = sum(logs.map((log, one) => (log - middle) ** 2 * (weights[one] ?? 0))) - (logs.length - 1);
  const { mean, all } = weighted(
    Math.max(0, scatter / (fixed - sum(weights.map((one) => one ** 2)) / fixed)),
  );
  const reach = REACH / Math.sqrt(all);
  return asRatio({ estimate: mean, low: mean - reach, high: mean + reach });
}

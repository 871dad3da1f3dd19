import type { GalleryCase, GalleryEntry, GalleryMeasured, SummaryRatio } from "@evenbench/results";
import { judge, LEVEL, type RatioInterval, VERDICTS, type Verdict } from "@evenbench/stats";
import { byPlatform, platformColours, processorOf, spokenNames } from "../names.ts";

/** Newest runs that are drawn: more cannot be told apart. */
const DRAWN = 120;
const POOLED = 5;
const REACH = 2.576;

export interface GalleryRun {
  readonly entry: GalleryEntry;
  /** Whether report and picture are there. */
  readonly isWhole: boolean;
}

/** All runs of one machine that measured here, or over the network: the two are never one series. */
export type History = ReturnType<typeof historiesOf>[number];
export type CaseCourse = History["cases"][number];
export type TargetCourse = CaseCourse["time"][number];

export interface Standing {
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict;
  readonly runs: number;
}

export function historiesOf(newestFirst: readonly GalleryRun[]) {
  const groups = Map.groupBy(newestFirst, ({ entry }) =>
    JSON.stringify([machineName(entry.machine), isDeployed(entry)]),
  );
  const histories = [...groups.values()].map((own) => {
    const [{ entry }] = own as [GalleryRun];
    // Oldest first: what is said of a run says it by its index here.
    const runs = own.slice(0, DRAWN).reverse();
    const entries = runs.map((run) => run.entry);
    return {
      name: machineName(entry.machine),
      isDeployed: isDeployed(entry),
      runs,
      changes: changesIn(entries),
      cases: casesIn(entries),
    };
  });
  return histories.sort((a, b) => Number(a.isDeployed) - Number(b.isDeployed));
}

function isDeployed({ targets }: GalleryEntry): boolean {
  return targets.some(({ place }) => place === "url");
}

/** "AMD EPYC, 2 cores, 24 GiB". Its system is a version: that changes while the machine stays. */
export function machineName({ cpuModel, cores, memoryBytes }: GalleryEntry["machine"]): string {
  return `${processorOf({ cpuModel, cores })}, ${Math.round(memoryBytes / 2 ** 30)} GiB`;
}

function changesIn(entries: readonly GalleryEntry[]) {
  const known = new Map<string, string>();
  const all = entries.map(({ versions, machine, evenbenchVersion }, index) => {
    const told = [
      ...versions,
      { name: "system", version: machine.system },
      { name: "Evenbench", version: evenbenchVersion },
    ];
    const what = told.flatMap(({ name, version }) => {
      const before = known.get(name);
      known.set(name, version);
      return before === undefined || before === version ? [] : [`${name} ${before} to ${version}`];
    });
    return { index, what };
  });
  return all.filter(({ what }) => what.length > 0).map((one, place) => ({ ...one, number: place + 1 }));
}

function casesIn(entries: readonly GalleryEntry[]) {
  const newestFirst = entries.toReversed();
  const targets = new Map(
    newestFirst.flatMap((entry) =>
      entry.targets.map(
        (one) =>
          [
            one.name,
            { ...one, copyOf: null, about: { colour: one.colour, spoken: one.spoken ?? one.name } },
          ] as const,
      ),
    ),
  );
  const placed = [...targets.values()].sort(byPlatform);
  const colours = platformColours(placed);
  const names = spokenNames(placed);
  const newest = new Map<string, GalleryCase>();
  for (const { cases } of newestFirst)
    for (const one of cases) if (!newest.has(one.id)) newest.set(one.id, one);
  return [...newest.values()].map(({ id, title, source, baseline }) => {
    const coursesOf = (what: "time" | "cpuTime") =>
      placed.flatMap(({ name: target }) => {
        const points = entries.flatMap(({ cases }, index) =>
          (cases.find((one) => one.id === id)?.[what] ?? [])
            .filter((measured) => measured.target === target)
            .map((measured) => ({ ...measured, index })),
        );
        const name = names.get(target) ?? target;
        return points.length === 0 ? [] : [{ name, colour: colours.get(target) ?? 0, points }];
      });
    const [time, cpuTime] = [coursesOf("time"), coursesOf("cpuTime")];
    return { id, title, source, baseline: names.get(baseline) ?? baseline, time, cpuTime };
  });
}

export function currentFrom({ runs, changes }: History): number {
  return Math.max(0, runs.length - POOLED, changes.at(-1)?.index ?? 0);
}

export function standingOf(
  { points }: TargetCourse,
  from: number,
  to = Number.POSITIVE_INFINITY,
): Standing | null {
  const compared = points.filter(({ index, verdict }) => index >= from && index < to && verdict !== null);
  if (compared.length === 0) return null;
  const isCold = ({ verdict }: GalleryMeasured) => verdict === "not warm";
  const warm = compared.filter((one) => !isCold(one));
  const ratio = pooled(warm.flatMap((one) => one.ratio ?? []));
  if (2 * warm.length < compared.length) return { ratio, verdict: "not warm", runs: compared.length };
  return { ratio, verdict: ratio === null ? "inconclusive" : judge(ratio).verdict, runs: warm.length };
}

/** Each by its certainty, and by what runs differ beyond that (DerSimonian and Laird, 1986). */
export function pooled(ratios: readonly SummaryRatio[]): RatioInterval | null {
  const [only] = ratios;
  if (only === undefined) return null;
  if (ratios.length === 1) return { level: LEVEL, ...only };
  const told = ratios.map(({ estimate, low, high }) => ({
    log: Math.log(estimate),
    variance: Math.max(1e-12, (Math.log(high / low) / (2 * REACH)) ** 2),
  }));
  const sum = (of: (one: (typeof told)[number]) => number) => told.reduce((all, one) => all + of(one), 0);
  const by = (weight: (one: (typeof told)[number]) => number) => ({
    mean: sum((one) => weight(one) * one.log) / sum(weight),
    weights: sum(weight),
  });
  const fixed = by(({ variance }) => 1 / variance);
  const scatter = sum(({ log, variance }) => (log - fixed.mean) ** 2 / variance) - (told.length - 1);
  const between = Math.max(
    0,
    scatter / (fixed.weights - sum(({ variance }) => variance ** -2) / fixed.weights),
  );
  const { mean, weights } = by(({ variance }) => 1 / (variance + between));
  const reach = REACH / Math.sqrt(weights);
  return {
    level: LEVEL,
    estimate: Math.exp(mean),
    low: Math.exp(mean - reach),
    high: Math.exp(mean + reach),
  };
}

export function comparedNames({ cases }: Pick<History, "cases">): readonly string[] {
  const names = cases.flatMap(({ time }) =>
    time.filter(({ points }) => points.some(({ verdict }) => verdict !== null)).map(({ name }) => name),
  );
  return [...new Set(names)];
}

/** What is stored of a verdict is text: what no verdict is, is none. */
export function verdictOf(text: string | null): Verdict | null {
  return VERDICTS.find((verdict) => verdict === text) ?? null;
}

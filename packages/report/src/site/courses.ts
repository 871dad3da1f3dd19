import type { GalleryCase, GalleryEntry, GalleryMeasured } from "@evenbench/results";
import { byPlatform, platformColours, platformNames, processorOf } from "../names.ts";
import type { GalleryRun } from "./gallery-run.ts";

/** All runs of one machine: medians of two machines are not held against one another. */
export interface MachineHistory {
  readonly name: string;
  /** Of which `runs` are the newest. */
  readonly count: number;
  /** Oldest first. What is said of a run says it by its index here. */
  readonly runs: readonly GalleryRun[];
  readonly changes: readonly VersionChange[];
  readonly cases: readonly CaseCourse[];
}

/** Versions that differ from those of the run before which had them. */
interface VersionChange {
  /** Of the first run with the new ones. */
  readonly index: number;
  /** From 1, as it stands in figures. */
  readonly number: number;
  /** Such as "workerd 1.20261117.1 to 1.20261120.0". */
  readonly what: readonly string[];
}

/** One case over the runs of a machine. */
export interface CaseCourse {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  /** What its ratios are to, by the name in figures. */
  readonly baseline: string;
  readonly time: readonly TargetCourse[];
  readonly cpuTime: readonly TargetCourse[];
}

export interface TargetCourse {
  /** As figures name it: its platform, where that says which. */
  readonly name: string;
  readonly colour: number;
  readonly points: readonly CoursePoint[];
}

export interface CoursePoint extends GalleryMeasured {
  readonly index: number;
}

/**
 * The history of each machine; that of the newest run first.
 *
 * @param most newest runs of each machine that are taken. Default: all.
 */
export function historiesOf(newestFirst: readonly GalleryRun[], most?: number): readonly MachineHistory[] {
  const machines = Map.groupBy(newestFirst, ({ entry }) => machineName(entry.machine));
  return [...machines].map(([name, own]) => {
    const runs = own.slice(0, most ?? own.length).reverse();
    const entries = runs.map(({ entry }) => entry);
    return { name, count: own.length, runs, changes: changesIn(entries), cases: casesIn(entries) };
  });
}

/** "AMD EPYC, 2 cores, 24 GiB". Its system is a version: that changes while the machine stays. */
export function machineName({ cpuModel, cores, memoryBytes }: GalleryEntry["machine"]): string {
  return `${processorOf({ cpuModel, cores })}, ${Math.round(memoryBytes / 2 ** 30)} GiB`;
}

/** What changed with each run, by its id; nothing for most. */
export function changesByRun(newestFirst: readonly GalleryRun[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    historiesOf(newestFirst).flatMap(({ runs, changes }) =>
      changes.map(({ index, what }) => [runs[index]?.entry.runId ?? "", what] as const),
    ),
  );
}

function changesIn(entries: readonly GalleryEntry[]): readonly VersionChange[] {
  const known = new Map<string, string>();
  const all = entries.map((entry, index) => {
    const what = versionsIn(entry).flatMap(({ name, version }) => {
      const before = known.get(name);
      known.set(name, version);
      return before === undefined || before === version ? [] : [`${name} ${before} to ${version}`];
    });
    return { index, what };
  });
  return all.filter(({ what }) => what.length > 0).map((one, place) => ({ ...one, number: place + 1 }));
}

function versionsIn({ versions, machine, evenbenchVersion }: GalleryEntry): GalleryEntry["versions"] {
  const own = { name: "Evenbench", version: evenbenchVersion };
  return [...versions, { name: "system", version: machine.system }, own];
}

/** Cases in the order of the newest run that has them. */
function casesIn(entries: readonly GalleryEntry[]): readonly CaseCourse[] {
  const newestFirst = entries.toReversed();
  const targets = new Map(
    newestFirst.flatMap((entry) =>
      entry.targets.map((one) => [one.name, { ...one, copyOf: null, about: one }] as const),
    ),
  );
  const placed = [...targets.values()].sort(byPlatform);
  const colours = platformColours(placed);
  const names = platformNames(placed);
  const nameOf = (target: string) => names.get(target) ?? target;
  const manifests = new Map<string, GalleryCase>();
  for (const { cases } of newestFirst)
    for (const one of cases) if (!manifests.has(one.id)) manifests.set(one.id, one);
  return [...manifests.values()].map(({ id, title, kind, baseline }) => {
    const own = entries.map(({ cases }) => cases.find((one) => one.id === id));
    const coursesOf = (what: "time" | "cpuTime") =>
      placed.flatMap(({ name: target }): TargetCourse[] => {
        const points = own.flatMap((one, index) =>
          (one?.[what] ?? [])
            .filter((measured) => measured.target === target)
            .map((measured) => ({ ...measured, index })),
        );
        return points.length === 0
          ? []
          : [{ name: nameOf(target), colour: colours.get(target) ?? 0, points }];
      });
    return {
      id,
      title,
      kind,
      baseline: nameOf(baseline),
      time: coursesOf("time"),
      cpuTime: coursesOf("cpuTime"),
    };
  });
}

import type { Run, RunMachine, SummaryRatio, SummaryRow } from "@evenbench/results";
import { judge, LEVEL, type RatioInterval, VERDICTS, type Verdict } from "@evenbench/stats";
import type { SummarisedRun } from "../analyse-run.ts";
import { byPlatform, platformColours, processorOf, spokenNames, versionsOf } from "../names.ts";
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
export type CaseCourse = History["cases"][number];
export type TargetCourse = CaseCourse["time"][number];
export type Standing = NonNullable<ReturnType<typeof standingOf>>;

export function historiesOf(newestFirst: readonly GalleryRun[]) {
  const groups = Map.groupBy(newestFirst, ({ run, machine }) =>
    JSON.stringify([machineName(machine), isDeployed(run)]),
  );
  const histories = [...groups.values()].map((own) => {
    const [{ run, machine }] = own as [GalleryRun];
    // Oldest first: what is said of a run says it by its index here.
    const runs = own.slice(0, DRAWN).reverse();
    const changes = changesIn(runs);
    const from = Math.max(0, runs.length - POOLED, changes.at(-1)?.index ?? 0);
    return {
      ...{ name: machineName(machine), isDeployed: isDeployed(run), runs, changes },
      /** What stands now is of the runs from this one on. */
      ...{ from, cases: casesIn(runs, from) },
    };
  });
  return histories.sort((a, b) => Number(a.isDeployed) - Number(b.isDeployed));
}

export function isDeployed({ plan }: Run): boolean {
  return plan.targets.some(({ place }) => place === "url");
}

/** "AMD EPYC, 2 cores, 24 GiB". Its system is a version: that changes while the machine stays. */
export function machineName(machine: RunMachine): string {
  return `${processorOf(machine)}, ${Math.round(machine.memoryBytes / 2 ** 30)} GiB`;
}

function changesIn(runs: readonly GalleryRun[]) {
  const known = new Map<string, string>();
  const all = runs.map(({ run, machine }, index) => {
    const told = [
      ...versionsOf(run),
      { name: "system", version: machine.system },
      { name: "Evenbench", version: run.evenbenchVersion },
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

function casesIn(runs: readonly GalleryRun[], from: number) {
  const newestFirst = runs.toReversed();
  const originals = newestFirst.flatMap(({ run }) =>
    run.plan.targets.filter(({ copyOf }) => copyOf === null).map((one) => [one.name, one] as const),
  );
  const placed = [...new Map(originals).values()].sort(byPlatform);
  const colours = platformColours(placed);
  const names = spokenNames(placed);
  const nameOf = (target: string) => names.get(target) ?? target;
  const measured = newestFirst.flatMap(({ run, summary }) =>
    run.plan.cases.flatMap((manifest) => {
      const rows = summary.rows.filter(({ caseId }) => caseId === manifest.id);
      return rows.length === 0 ? [] : [{ manifest, run, rows }];
    }),
  );
  return [...Map.groupBy(measured, ({ manifest }) => manifest.id)].map(([id, [newest]]) => {
    const { manifest, run, rows } = newest as (typeof measured)[number];
    const coursesOf = (isAsked: (row: SummaryRow) => boolean) =>
      placed.flatMap(({ name: target }) => {
        const points = runs.flatMap(({ summary }, index) =>
          summary.rows
            .filter((row) => row.caseId === id && row.target === target && isAsked(row))
            .map((row) => ({ ...row, index })),
        );
        return points.length === 0
          ? []
          : [{ name: nameOf(target), colour: colours.get(target) ?? 0, points }];
      });
    const time = coursesOf(({ headline }) => headline);
    return {
      ...{ id, title: manifest.title, baseline: nameOf(rows[0]?.baseline ?? "") },
      source: caseLinks({ manifest, targets: rows.map(({ target }) => target) }, run).url,
      time,
      cpuTime: coursesOf(({ metric }) => metric === "cpuMs"),
      /** What stands now of each target that is compared. */
      current: time.flatMap(({ name, colour, points }) => {
        const standing = standingOf(points, from);
        return standing === null ? [] : [{ name, colour, standing }];
      }),
    };
  });
}

type Measured = SummaryRow & { readonly index: number };

export function standingOf(points: readonly Measured[], from: number, to = Number.POSITIVE_INFINITY) {
  const compared = points.filter(({ index, verdict }) => index >= from && index < to && verdict !== null);
  if (compared.length === 0) return null;
  const warm = compared.filter(({ verdict }) => verdict !== "not warm");
  const ratio = pooled(warm.flatMap((one) => one.ratio ?? []));
  const isCold = 2 * warm.length < compared.length;
  const judged: Verdict = ratio === null ? "inconclusive" : judge(ratio).verdict;
  return isCold
    ? { ratio, verdict: "not warm" as const, runs: compared.length }
    : { ratio, verdict: judged, runs: warm.length };
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

export function isCompared({ points }: TargetCourse): boolean {
  return points.some(({ verdict }) => verdict !== null);
}

/** What is stored of a verdict is text: what no verdict is, is none. */
export function verdictOf(text: string | null): Verdict | null {
  return VERDICTS.find((verdict) => verdict === text) ?? null;
}

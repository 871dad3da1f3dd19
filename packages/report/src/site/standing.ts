import type { Run, RunMachine, SummaryRatio, SummaryRow } from "@evenbench/results";
import { asRatio, judge, LEVEL, type RatioInterval, sum, type Verdict } from "@evenbench/stats";
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
    const name = machineName(machine);
    // Oldest first: what is said of a run says it by its index here.
    const runs = own.slice(0, DRAWN).reverse();
    const changes = changesIn(runs);
    const from = Math.max(0, runs.length - POOLED, changes.at(-1)?.index ?? 0);
    return {
      ...{ name, isDeployed: isDeployed(run), runs, changes },
      title: `${isDeployed(run) ? "Deployed, from " : ""}${name}`,
      versions: versionsOf(run).map((one) => ({ name: one.name, version: one.version })),
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
  const all = runs.map((one, index) => {
    const told = [
      ...versionsOf(one.run),
      { name: "system", version: one.machine.system },
      { name: "Evenbench", version: one.run.evenbenchVersion },
    ];
    const what = told.flatMap(({ name, version }) => {
      const before = known.get(name);
      known.set(name, version);
      return before === undefined || before === version ? [] : [`${name} ${before} to ${version}`];
    });
    return { index, run: one, what: what.join("; ") };
  });
  return all.filter(({ what }) => what !== "").map((one, place) => ({ ...one, number: place + 1 }));
}

function casesIn(runs: readonly GalleryRun[], from: number) {
  const newestFirst = runs.toReversed();
  const originals = newestFirst.flatMap(({ run }) =>
    run.plan.targets.filter(({ copyOf }) => copyOf === null).map((one) => [one.name, one] as const),
  );
  const placed = [...new Map(originals).values()].sort(byPlatform);
  const [colours, names] = [platformColours(placed), spokenNames(placed)];
  const nameOf = (target: string) => names.get(target) ?? target;
  const measured = newestFirst.flatMap(({ run, summary }) =>
    run.plan.cases.map((manifest) => {
      return { manifest, run, rows: summary.rows.filter(({ caseId }) => caseId === manifest.id) };
    }),
  );
  const cases = Map.groupBy(
    measured.filter(({ rows }) => rows.length > 0),
    ({ manifest }) => manifest.id,
  );
  return [...cases].map(([id, [newest]]) => {
    const { manifest, run, rows } = newest as (typeof measured)[number];
    const coursesOf = (isAsked: (row: SummaryRow) => boolean) => {
      const all = placed.map(({ name: target }) => ({
        ...{ name: nameOf(target), colour: colours.get(target) ?? 0 },
        /** One for each run; null where it has none. */
        points: runs.map(({ summary }) =>
          summary.rows.find((row) => row.caseId === id && row.target === target && isAsked(row)),
        ),
      }));
      return all.filter(({ points }) => points.some((row) => row !== undefined));
    };
    const time = coursesOf(({ headline }) => headline);
    return {
      ...{ id, title: manifest.title, baseline: nameOf(rows[0]?.baseline ?? "") },
      source: caseLinks({ manifest, targets: rows.map(({ target }) => target) }, run).url,
      time,
      cpuTime: coursesOf(({ metric }) => metric === "cpuMs"),
      /** What stands now of each target that is compared. */
      current: time.flatMap(({ points, ...own }) => {
        const standing = standingOf(points.slice(from));
        return standing === null ? [] : [{ ...own, ...standing }];
      }),
    };
  });
}

export function standingOf(points: readonly (SummaryRow | undefined)[]) {
  const compared = points.flatMap((row) => (row === undefined || row.verdict === null ? [] : [row]));
  if (compared.length === 0) return null;
  const warm = compared.filter(({ verdict }) => verdict !== "not warm");
  const ratio = pooled(warm.flatMap((one) => one.ratio ?? []));
  const judged: Verdict = ratio === null ? "inconclusive" : judge(ratio).verdict;
  const isCold = 2 * warm.length < compared.length;
  return { ratio, verdict: isCold ? "not warm" : judged, runs: isCold ? compared.length : warm.length };
}

/** Each by its certainty, and by what runs differ beyond that (DerSimonian and Laird, 1986). */
export function pooled(ratios: readonly SummaryRatio[]): RatioInterval | null {
  const [only] = ratios;
  if (ratios.length < 2) return only === undefined ? null : { level: LEVEL, ...only };
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
  return asRatio({ level: LEVEL, estimate: mean, low: mean - reach, high: mean + reach });
}

export function isCompared({ points }: TargetCourse): boolean {
  return points.some((row) => row?.verdict != null);
}

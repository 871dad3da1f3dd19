import { listed } from "@evenbench/page";
import type { SummaryRow } from "@evenbench/results";
import { isJudged, type Verdict } from "@evenbench/stats";
import { historyByTarget, isTime, type MeasuredSeries, unlike, versionFacts } from "../across/series.ts";
import { shownTargets, spokenOf } from "../names.ts";
import { isOfOwnServers } from "../notices.ts";
import { type CaseLinks, caseLinks } from "../repeat.ts";
import type { SummarisedRun } from "../summarised.ts";
import { verdictOfRow } from "../summary-answer.ts";

/** Largest number of runs that are drawn, the newest ones: more cannot be told apart. */
const DRAWN = 120;

/** A run of a gallery, with its numbers. */
export interface GalleryRun extends SummarisedRun {
  /** Name of the run's folder in the gallery: its id, with more behind it where another run has the same id. */
  readonly name: string;
  /** True where the run's folder in the gallery has its report, and with an address its picture. */
  readonly hasReport: boolean;
}

/** A change of versions between two runs of a place that follow each other. */
interface VersionChange {
  /** Index of the later run in {@link PlaceHistory.runs}. */
  readonly index: number;
  /** Number of the change among those of its place, from 1: figures and lists call it by this number. */
  readonly number: number;
  /** The versions that changed, as words: "node 24.1.0 to 24.2.0; Evenbench 1.0.0 to 1.1.0". */
  readonly what: string;
  /** The versions of the later run that are new, as words: "node 24.2.0; Evenbench 1.1.0". */
  readonly now: string;
  /** Day on which the later run began, in UTC: "2026-11-27". */
  readonly day: string;
}

/** A change of what is found of a target, from one run to the next one. */
interface FoundChange {
  readonly before: CurrentComparison;
  readonly after: CurrentComparison;
  /** Day on which the later run began, in UTC. */
  readonly day: string;
  /** The versions that are new in the later run, as words; null where none is. */
  readonly versions: string | null;
}

/**
 * The runs that were measured at one place: one machine, either here or over the network, so that they make
 * one series.
 */
interface PlaceHistory {
  /** The place, in words, as summaries name it. */
  readonly place: string;
  /** The newest runs that are drawn, oldest first. */
  readonly runs: readonly GalleryRun[];
  /** Number of all runs of the place, with those that are too old to be drawn. */
  readonly allRuns: number;
  /** Number of smoke tests and of runs too short for one verdict: they are not shown. */
  readonly leftOut: number;
  /** Changes of versions between these runs, oldest first. */
  readonly changes: readonly VersionChange[];
}

/** The results of one target in one case, from run to run. */
export interface TargetHistory extends MeasuredSeries {
  /** The target's name as texts say it. */
  readonly name: string;
  /** Name of the target that it was compared with in its newest run, as texts say it. */
  readonly baseline: string;
  /** Index of the target's colour. */
  readonly colour: number;
  /** Comparison of the newest run; null where that run compared the target with nothing. */
  readonly current: CurrentComparison | null;
  /** The newest change of what was found: another verdict, or an interval beside the one before; null without any. */
  readonly changed: FoundChange | null;
}

/** The comparison of a target with its baseline in a run. */
export interface CurrentComparison {
  readonly ratio: SummaryRow["ratio"];
  readonly verdict: Verdict;
}

/** All results of one case at one place. */
export interface CaseHistory extends PlaceHistory {
  /** Id of the case. */
  readonly id: string;
  /** Title of the case, as its newest run has it. */
  readonly title: string;
  /** True where the baseline of the newest run differed from its own copy in this case. */
  readonly isCheckFailed: boolean;
  /** Source and command of the case, as its newest run has them. */
  readonly links: CaseLinks;
  /** Times of each target, in the metric that the case is judged by. */
  readonly time: readonly TargetHistory[];
  /** CPU times of each target that has any. */
  readonly cpuTime: readonly TargetHistory[];
}

/** All runs of one place, with the results of each case. */
export interface History extends PlaceHistory {
  /** Cases in the order of the newest run. */
  readonly cases: readonly CaseHistory[];
}

/** Groups a gallery's runs by place, and the results of each place by case. The place of the newest run is first. */
export function historiesOf(newestFirst: readonly GalleryRun[]): readonly History[] {
  return [...Map.groupBy(newestFirst, placeWords)].map(([place, atPlace]) => {
    const standing = atPlace.map(withoutShortCases).filter(isFull);
    const shown = standing.length === 0 ? atPlace : standing;
    // Oldest first: what is said of a run says it by its index here.
    const runs = shown.slice(0, DRAWN).reverse();
    const leftOut = atPlace.length - shown.length;
    const history = { place, runs, allRuns: shown.length, leftOut, changes: changesIn(runs) };
    const cpuTimes = targetsIn(history, ({ metric }) => metric === "cpuMs");
    const cases = [...Map.groupBy(targetsIn(history, isTime), ({ caseId }) => caseId)].flatMap(
      ([id, time]) => {
        const newest = time[0]?.newest.run;
        const manifest = newest?.plan.cases.find((manifest) => manifest.id === id);
        if (newest === undefined || manifest === undefined) {
          return [];
        }
        const ofCase = newest.plan.targets.filter(({ name, copyOf }) =>
          time.some(({ target }) => target === (copyOf ?? name)),
        );
        const links = caseLinks({ manifest, targets: ofCase.map(({ name }) => name) }, newest);
        const cpuTime = cpuTimes.filter(({ caseId }) => caseId === id);
        const { failedCheckCases = [] } = runs.find(({ run }) => run === newest)?.summary ?? {};
        const isCheckFailed = failedCheckCases.includes(id);
        return [{ ...history, id, title: manifest.title, isCheckFailed, links, time, cpuTime }];
      },
    );
    return { ...history, cases };
  });
}

/** Names the place of a run. Own servers are part of it: those of unrelated runs may answer the same path. */
function placeWords({ run, summary }: GalleryRun): string {
  if (!isOfOwnServers(run.plan)) {
    return summary.place;
  }
  const servers = run.plan.targets.filter(({ copyOf }) => copyOf === null).map(({ name }) => name);
  return `${summary.place} · servers ${listed(servers.toSorted())}`;
}

/** Tells whether a run measured at least one case in full: no smoke test, and with a verdict on it. */
function isFull({ run, summary }: GalleryRun): boolean {
  return (
    run.plan.quick !== true && summary.rows.some(({ headline, verdict }) => headline && isJudged(verdict))
  );
}

/** Leaves out of a run the cases that had less time than warm trials need: they are no standing. */
function withoutShortCases(record: GalleryRun): GalleryRun {
  const { neededMs = {} } = record.run.plan;
  const rows = record.summary.rows.filter(({ caseId }) => !(caseId in neededMs));
  return { ...record, summary: { ...record.summary, rows } };
}

/** Finds where versions changed from one run to the next, oldest first. */
function changesIn(runs: readonly GalleryRun[]): readonly VersionChange[] {
  let known = new Map<string, string>();
  const all = runs.map(({ run }, index) => {
    const versions = versionFacts(run);
    const what = unlike(known, versions, (name, then, now) => `${name} ${then} to ${now}`).join("; ");
    const now = unlike(known, versions, (name, _, now) => `${name} ${now}`).join("; ");
    known = new Map([...known, ...versions]);
    return { index, what, now, day: run.startedAt.slice(0, 10) };
  });
  return all.filter(({ what }) => what !== "").map((change, place) => ({ ...change, number: place + 1 }));
}

/** Collects the history of each target; its name, colour and current comparison are those of its newest run. */
function targetsIn(
  { runs, changes }: Pick<PlaceHistory, "runs" | "changes">,
  matches: (row: SummaryRow) => boolean,
): readonly TargetHistory[] {
  const originals = runs.flatMap(({ run }) => run.plan.targets.filter(({ copyOf }) => copyOf === null));
  const targets = shownTargets([...new Map(originals.map((target) => [target.name, target])).values()]);
  return historyByTarget(runs, matches).map((targetHistory) => {
    const { baseline } = targetHistory.newest.row;
    return {
      ...targetHistory,
      name: spokenOf(targets, targetHistory.target),
      baseline: spokenOf(targets, baseline),
      colour: targets.find(({ name }) => name === targetHistory.target)?.colour ?? 0,
      current: comparisonIn(targetHistory.newest.row),
      changed: newestChange(targetHistory, changes),
    };
  });
}

/** Takes the comparison of a row, by today's rules; null where there is none. */
function comparisonIn(row: SummaryRow): CurrentComparison | null {
  const verdict = verdictOfRow(row);
  return verdict === null ? null : { ratio: row.ratio, verdict };
}

/** Finds the newest two neighbours among the judged runs of a target that do not say the same. */
function newestChange({ points }: MeasuredSeries, changes: readonly VersionChange[]): FoundChange | null {
  const judged = points.flatMap(({ index, run, row }) => {
    const found = comparisonIn(row);
    return found !== null && found.ratio !== null && isJudged(found.verdict) ? [{ index, run, found }] : [];
  });
  for (let at = judged.length - 1; at > 0; at -= 1) {
    const later = judged[at];
    const earlier = judged[at - 1];
    if (later === undefined || earlier === undefined || isAlike(earlier.found, later.found)) {
      continue;
    }
    const between = changes.filter(({ index }) => index > earlier.index && index <= later.index);
    return {
      before: earlier.found,
      after: later.found,
      day: later.run.startedAt.slice(0, 10),
      versions: between.length === 0 ? null : between.map(({ now }) => now).join("; "),
    };
  }
  return null;
}

/** Two findings are alike where nothing tells them apart: an open one contradicts none whose interval meets its own. */
function isAlike(before: CurrentComparison, after: CurrentComparison): boolean {
  const isApart =
    before.ratio !== null &&
    after.ratio !== null &&
    (before.ratio.high < after.ratio.low || after.ratio.high < before.ratio.low);
  const isOpen = before.verdict === "unclear" || after.verdict === "unclear";
  return !isApart && (isOpen || before.verdict === after.verdict);
}

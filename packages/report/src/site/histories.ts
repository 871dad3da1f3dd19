import type { SummaryRow } from "@evenbench/results";
import { VERDICTS } from "@evenbench/stats";
import { historyByTarget, isTime, unlike, versionFacts } from "../across/series.ts";
import { shownTargets, spokenOf } from "../names.ts";
import { caseLinks } from "../repeat.ts";
import type { SummarisedRun } from "../summarised.ts";

/** Newest runs that are drawn: more cannot be told apart. */
const DRAWN = 120;

export interface GalleryRun extends SummarisedRun {
  /** Of its folder in the gallery: its id, with more behind it where another run has that. */
  readonly name: string;
  /** Whether report and picture are there. */
  readonly hasReport: boolean;
}

/** All runs of one place: what one machine measured here, and over the network, are never one series. */
export type History = ReturnType<typeof historiesOf>[number];
export type CaseHistory = History["cases"][number];

export function historiesOf(newestFirst: readonly GalleryRun[]) {
  return [...Map.groupBy(newestFirst, ({ summary }) => summary.place)].map(([place, atPlace]) => {
    // Oldest first: what is said of a run says it by its index here.
    const runs = atPlace.slice(0, DRAWN).reverse();
    const history = { place, runs, allRuns: atPlace.length, changes: changesIn(runs) };
    const cpuTimes = targetsIn(runs, ({ metric }) => metric === "cpuMs");
    const cases = [...Map.groupBy(targetsIn(runs, isTime), ({ caseId }) => caseId)].flatMap(([id, time]) => {
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
      return [{ ...history, id, title: manifest.title, links, time, cpuTime }];
    });
    return { ...history, cases };
  });
}

function changesIn(runs: readonly GalleryRun[]) {
  let known = new Map<string, string>();
  const all = runs.map(({ run }, index) => {
    const versions = versionFacts(run);
    const what = unlike(known, versions, (name, then, now) => `${name} ${then} to ${now}`).join("; ");
    known = new Map([...known, ...versions]);
    return { index, what, day: run.startedAt.slice(0, 10) };
  });
  return all.filter(({ what }) => what !== "").map((change, place) => ({ ...change, number: place + 1 }));
}

export type TargetHistory = ReturnType<typeof targetsIn>[number];

/** Names, colours and what stands now are those of a target's newest run. */
function targetsIn(runs: readonly GalleryRun[], matches: (row: SummaryRow) => boolean) {
  const originals = runs.flatMap(({ run }) => run.plan.targets.filter(({ copyOf }) => copyOf === null));
  const targets = shownTargets([...new Map(originals.map((target) => [target.name, target])).values()]);
  return historyByTarget(runs, matches).map((course) => {
    const { ratio, verdict: recorded, baseline } = course.newest.row;
    const verdict = VERDICTS.find((known) => known === recorded);
    return {
      ...course,
      name: spokenOf(targets, course.target),
      baseline: spokenOf(targets, baseline),
      colour: targets.find(({ name }) => name === course.target)?.colour ?? 0,
      /** null where it was not compared. */
      current: verdict === undefined ? null : { ratio, verdict },
    };
  });
}

// Which runs of a gallery make one series, and which of them stand for something.
import { listed } from "@evenbench/page";
import type { Answer, Change, Facts, Level, Metric, TargetFacts } from "../facts/facts.ts";
import { isDecided } from "../words/mark.ts";
import { capitalised, placeWords } from "../words/names.ts";

/** The metrics of which a gallery has a history. */
const SHOWN: readonly Metric[] = ["lastByteMs", "cpuMs"];

/** A run of a gallery, with what was found. */
export interface GalleryRun {
  readonly facts: Facts;
  /** Name of the run's folder in the gallery: its id, with more behind it where another run has the same id. */
  readonly name: string;
  /** True where the run's folder in the gallery has its report, and with an address its picture. */
  readonly hasReport: boolean;
}

/** Keeps of a run's facts what a gallery shows of many: there may be hundreds. */
export function forGallery(facts: Facts): Facts {
  const isShown = ({ metric, place }: Level | Change) => SHOWN.includes(metric) && place === null;
  const isPlain = ({ load, place }: Level | Answer) => load === null && place === null;
  return {
    ...facts,
    targets: facts.targets.filter(({ copyOf }) => copyOf === null),
    levels: facts.levels.filter((level) => isShown(level) && isPlain(level)),
    changes: facts.changes.filter((change) => isShown(change) && change.role === "main"),
    trends: [],
    // The table of what stands has them, and prices only what was computed.
    answers: facts.answers.filter(isPlain),
    settings: [],
  };
}

/**
 * Tells runs apart that make no series: of other machines, over other ways, or of servers of the user's own that have
 * other names, since those of unrelated runs may answer the same path.
 */
export function seriesKeyOf({ run, targets, app }: Facts): string {
  const { processor, cores, usableCores, coresApart } = run.machine ?? {};
  const machine = [processor, cores, usableCores, coresApart];
  const own = run.of === "cases" ? [] : [app?.folder, ...serversOf(targets)];
  return JSON.stringify([run.from, machine, run.of, own]);
}

function serversOf(targets: readonly TargetFacts[]): readonly string[] {
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  return originals.map(({ name }) => name).sort();
}

/** Names a place, with what else makes it one of its own: cores, servers, an app. */
export function titleOf(facts: Facts): string {
  const { of, machine } = facts.run;
  const servers = facts.app?.folder ?? `servers ${listed(serversOf(facts.targets))}`;
  const parts = [
    capitalised(placeWords(facts)),
    ...(machine?.coresApart === true ? ["client and servers on cores of their own"] : []),
    ...(of === "cases" ? [] : [servers]),
  ];
  return parts.join(" · ");
}

/** Tells whether a run measured at least one case in full: no smoke test, and with a verdict on it. */
export function isFull({ run, changes }: Facts): boolean {
  const hasVerdict = changes.some(({ metric, verdict }) => metric === "lastByteMs" && verdict !== "none");
  return !run.quick && hasVerdict;
}

/** Leaves out of a run the cases that had too little time for warm trials, so that nothing is decided: they are no standing. */
export function withoutShortCases(record: GalleryRun): GalleryRun {
  const { facts } = record;
  const decided = facts.changes.filter((change) => change.metric === "lastByteMs" && isDecided(change));
  const short = facts.next
    .flatMap(({ why, cases }) => (why === "more-time" ? cases : []))
    .filter((id) => decided.every((change) => change.case !== id));
  if (short.length === 0) {
    return record;
  }
  const isWhole = (row: { readonly case: string | null }) => row.case === null || !short.includes(row.case);
  return {
    ...record,
    facts: {
      ...facts,
      cases: facts.cases.filter(({ id }) => !short.includes(id)),
      levels: facts.levels.filter(isWhole),
      changes: facts.changes.filter(isWhole),
    },
  };
}

// What a reader has to know of a run, as codes with numbers. Their words stand in the catalogue.
import type { Run, RunEvent, SampleErrorKind } from "@evenbench/results";
import { isUnsteady } from "@evenbench/stats";
import type { AnalysedRun } from "../analyse-run.ts";
import type { AnalysedCase } from "../analysed-case.ts";
import { CODE_OF_AUDIT, CODE_OF_EVENT, isVoid, NOTICE_CODES, type NoticeCode } from "./codes.ts";
import type { Facts, Found, Notice } from "./facts.ts";
import { isLocalRun } from "./run-facts.ts";

/** Errors of the client's own process. */
const OF_CLIENT: readonly SampleErrorKind[] = ["client-limit", "client-pause"];

/** A place where a notice holds, with its code. */
export interface Coded {
  readonly code: NoticeCode;
  readonly found: Found;
}

/** Makes a place where a notice holds; what is not given does not apply. */
export function foundAt(given: Partial<Found> = {}): Found {
  return { ...NOWHERE, ...given };
}

/** A place of which nothing is known. */
const NOWHERE: Found = {
  case: null,
  target: null,
  trial: null,
  load: null,
  place: null,
  numbers: {},
  differs: null,
  quote: null,
};

/** Makes the notices of a run: the gravest first, each code once. @param damage sentences on what could not be read. */
export function noticesOf(
  { run, cases }: Pick<AnalysedRun, "run" | "cases">,
  damage: readonly string[],
): readonly Notice[] {
  return joined([...recordFindings(run, damage), ...cases.flatMap((report) => caseFindings(report, run))]);
}

/** The part of the record of a run, or of a load, that says what happened. */
export interface EventRecord extends Pick<Run, "events" | "machine"> {
  readonly plan: Pick<Run["plan"], "targets"> & Partial<Pick<Run["plan"], "serverCores">>;
}

/** Finds what a record says by itself: its events, what could not be read, and cores that were shared. */
export function recordFindings(record: EventRecord, damage: readonly string[]): readonly Coded[] {
  const damaged = damage.map((quote) => ({ code: "samples-damaged" as const, found: foundAt({ quote }) }));
  return [...eventFindings(record), ...damaged, ...coreFindings(record)];
}

/** Adds a notice to facts, in its place among the others. */
export function withNotice(facts: Facts, code: NoticeCode, found: Found): Facts {
  const before = facts.notices.flatMap((notice) =>
    notice.found.map((each) => ({ code: notice.code as NoticeCode, found: each })),
  );
  return { ...facts, notices: joined([...before, { code, found }]) };
}

/** Joins what was found by code, in the order of the codes. */
export function joined(all: readonly Coded[]): readonly Notice[] {
  return NOTICE_CODES.flatMap((code) => {
    const found = all.filter((each) => each.code === code).map((each) => each.found);
    return found.length === 0 ? [] : { code, weight: isVoid(code) ? "void" : "caution", found };
  });
}

function eventFindings({ events }: EventRecord): readonly Coded[] {
  return events.flatMap((event) => {
    const code = CODE_OF_EVENT[event.kind];
    return code === null ? [] : { code, found: foundOfEvent(event) };
  });
}

/** Gives the place that an event names, with its words. */
export function foundOfEvent({ caseId, target, trial, detail }: RunEvent): Found {
  return foundAt({ case: caseId, target, trial, quote: detail });
}

function caseFindings(report: AnalysedCase, run: Run): readonly Coded[] {
  const { manifest, lastByte, errors, audit, speed } = report;
  const caseId = manifest.id;
  const isFailed = run.events.some((event) => event.kind === "case-failed" && event.caseId === caseId);
  return [
    ...(lastByte === null && !isFailed
      ? [{ code: "nothing-measured" as const, found: foundAt({ case: caseId }) }]
      : []),
    ...errors.map(({ target, kind, count, of, detail }) => ({
      code: OF_CLIENT.includes(kind) ? ("client-failed" as const) : ("requests-failed" as const),
      found: foundAt({ case: caseId, target, numbers: { count, of }, quote: `${kind}: ${detail}` }),
    })),
    ...audit.flatMap(({ kind, target, place, numbers }) => {
      const code = CODE_OF_AUDIT[kind];
      return code === null ? [] : [{ code, found: foundAt({ case: caseId, target, place, numbers }) }];
    }),
    // Servers elsewhere say nothing of this machine.
    ...(isLocalRun(run) && isUnsteady(speed)
      ? [
          {
            code: "machine-unsteady" as const,
            found: foundAt({ case: caseId, numbers: { longer: speed.estimate - 1 } }),
          },
        ]
      : []),
  ];
}

/** Finds a client that shared its cores with the servers although they were to be kept apart. */
function coreFindings({ plan, machine }: EventRecord): readonly Coded[] {
  const isAsked = plan.serverCores !== "all";
  const isLocal = plan.targets.some(({ place }) => place === "local");
  return isAsked && isLocal && machine?.coresApart === null
    ? [{ code: "cores-shared", found: foundAt() }]
    : [];
}

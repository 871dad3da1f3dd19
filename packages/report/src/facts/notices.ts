// What a reader has to know of a run, as codes with numbers. Their words stand in the catalogue.
import type { Run, RunEvent, SampleErrorKind } from "@evenbench/results";
import { isUnsteady } from "@evenbench/stats";
import type { AnalysedRun } from "../analyse-run.ts";
import type { AnalysedCase } from "../analysed-case.ts";
import { CODE_OF_AUDIT, CODE_OF_EVENT, isVoid, NOTICE_CODES, type NoticeCode } from "./codes.ts";
import type { Found, Level, Notice } from "./facts.ts";
import { isLocalRun } from "./run-facts.ts";

/** Errors of the client's own process. */
const OF_CLIENT: readonly SampleErrorKind[] = ["client-limit", "client-pause"];

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

/** Makes the notice of one place. @param weight by default that of its code. */
export function noticeAt(
  code: NoticeCode,
  place: Partial<Found> = {},
  weight: Notice["weight"] = isVoid(code) ? "void" : "caution",
): Notice {
  return { code, weight, found: [foundAt(place)] };
}

/** Makes the notices of a run. @param levels of its facts. @param damage sentences on what could not be read. */
export function noticesOf(
  { run, cases }: Pick<AnalysedRun, "run" | "cases">,
  levels: readonly Level[],
  damage: readonly string[],
): readonly Notice[] {
  return joined([
    ...recordFindings(run, damage),
    ...startFindings(run, levels),
    ...cases.flatMap((report) => caseFindings(report, run)),
  ]);
}

/** The part of the record of a run, or of a load, that says what happened. */
export interface EventRecord extends Pick<Run, "events" | "machine"> {
  readonly plan: Pick<Run["plan"], "targets"> & Partial<Pick<Run["plan"], "serverCores">>;
}

/** Finds what a record says by itself: its events, what could not be read, and cores that were shared. */
export function recordFindings(record: EventRecord, damage: readonly string[]): readonly Notice[] {
  const damaged = damage.map((quote) => noticeAt("samples-damaged", { quote }));
  return [...eventFindings(record), ...damaged, ...coreFindings(record)];
}

/** Joins notices: each code once, with all places where it was found; first what is void, then in the order of codes. */
export function joined(notices: readonly Notice[]): readonly Notice[] {
  const byCode = [...Map.groupBy(notices, ({ code }) => code)];
  const each = byCode.map(([code, alike]): Notice => {
    const isNothing = alike.some(({ weight }) => weight === "void");
    return { code, weight: isNothing ? "void" : "caution", found: alike.flatMap(({ found }) => found) };
  });
  return each.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Gives the place of a notice among others; codes of another version come last. */
function rankOf({ code, weight }: Notice): number {
  const { length } = NOTICE_CODES;
  const index = (NOTICE_CODES as readonly string[]).indexOf(code);
  return (weight === "void" ? 0 : length + 1) + (index < 0 ? length : index);
}

function eventFindings({ events }: EventRecord): readonly Notice[] {
  return events.flatMap((event) => {
    const code = CODE_OF_EVENT[event.kind];
    return code === null ? [] : noticeAt(code, foundOfEvent(event));
  });
}

/**
 * Finds starts that failed, and cold starts of which a row of facts says that a target has none: these alone are void. The
 * CPU time of starts comes along unasked, and a condition that asks for it stays open without it.
 */
function startFindings({ events }: Pick<Run, "events">, levels: readonly Level[]): readonly Notice[] {
  const failed = events
    .filter(({ kind }) => kind === "cold-start-failed" || kind === "start-up-failed")
    .map(foundOfEvent);
  const missing = levels
    .filter(({ metric, why }) => metric === "coldStartMs" && why === "not-measured")
    .map((level) => {
      const isIts = (place: Found) => place.case === level.case && place.target === level.target;
      return failed.find(isIts) ?? foundAt({ case: level.case, target: level.target });
    });
  return [
    ...missing.map((place) => noticeAt("start-failed", place, "void")),
    ...failed.filter((place) => !missing.includes(place)).map((place) => noticeAt("start-failed", place)),
  ];
}

/** Gives the place that an event names, with its words. */
export function foundOfEvent({ caseId, target, trial, detail }: RunEvent): Found {
  return foundAt({ case: caseId, target, trial, quote: detail });
}

function caseFindings(report: AnalysedCase, run: Run): readonly Notice[] {
  const { manifest, lastByte, errors, audit, speed } = report;
  const caseId = manifest.id;
  const isFailed = run.events.some((event) => event.kind === "case-failed" && event.caseId === caseId);
  return [
    ...(lastByte === null && !isFailed ? [noticeAt("nothing-measured", { case: caseId })] : []),
    ...errors.map(({ target, kind, count, of, detail }) =>
      noticeAt(OF_CLIENT.includes(kind) ? "client-failed" : "requests-failed", {
        case: caseId,
        target,
        numbers: { count, of },
        quote: `${kind}: ${detail}`,
      }),
    ),
    ...audit.flatMap(({ kind, target, place, numbers }) => {
      const code = CODE_OF_AUDIT[kind];
      return code === null ? [] : noticeAt(code, { case: caseId, target, place, numbers });
    }),
    // Servers elsewhere say nothing of this machine.
    ...(isLocalRun(run) && isUnsteady(speed)
      ? [noticeAt("machine-unsteady", { case: caseId, numbers: { longer: speed.estimate - 1 } })]
      : []),
  ];
}

/** Finds a client that shared its cores with the servers although they were to be kept apart. */
function coreFindings({ plan, machine }: EventRecord): readonly Notice[] {
  const isAsked = plan.serverCores !== "all";
  const isLocal = plan.targets.some(({ place }) => place === "local");
  return isAsked && isLocal && machine?.coresApart === null ? [noticeAt("cores-shared")] : [];
}

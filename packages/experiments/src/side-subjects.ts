import type { Run, Sample } from "@evenbench/results";
import type { CaseRequest, MeasuringSession, RememberedNeeds, Subject } from "@evenbench/runner/engine";
import { copyOf } from "./analyse.ts";
import type { VerifiedSide } from "./verify.ts";

/** By what each side is asked for: sides with other parameters have needs of their own. */
export function needsOfSides(
  session: MeasuringSession<Run, Sample>,
  sides: readonly VerifiedSide[],
): RememberedNeeds {
  const { deployables, plan } = session.recorder.record;
  const caseId = plan.cases[0]?.id ?? "";
  return session.needsOf(
    sides.map(({ side: { name }, identity, request: { path } }) => ({
      name,
      caseId,
      path,
      identity,
      build: deployables[name] ?? null,
    })),
  );
}

/** Milliseconds of one exchange by side, and of the start of all. */
export function timesSeen(sides: readonly VerifiedSide[]) {
  return {
    exchangeMs: Object.fromEntries(sides.map(({ side, exchangeMs }) => [side.name, exchangeMs])),
    startMs: sides.reduce((sum, { startMs }) => sum + startMs, 0),
  };
}

/** Each side's own; an A/A copy's is its original's. */
export function requestsOf(sides: readonly VerifiedSide[]) {
  const requests = new Map(sides.map(({ side, request }) => [side.name, request]));
  return ({ name, copyOf: original }: Subject): CaseRequest => {
    const request = requests.get(original ?? name);
    if (request === undefined) throw new Error(`${name} was not verified.`);
    return request;
  };
}

/** The sides, and the A/A copy of the first one. */
export function subjectsOf(verified: readonly VerifiedSide[]): Subject[] {
  const subjects = verified.map(({ side, target }): Subject => ({ name: side.name, target, copyOf: null }));
  const [first] = subjects;
  if (first === undefined) return [];
  return [...subjects, { ...first, name: copyOf(first.name), copyOf: first.name }];
}

import {
  type CaseFacts,
  type Change,
  type Facts,
  type Found,
  type Notice,
  RULES,
  type RunFacts,
  type RunPart,
  type TargetFacts,
  type Why,
} from "../facts/facts.ts";
import { joined, noticeAt } from "../facts/notices.ts";
import { withoutVerdict } from "../facts/rows.ts";
import { byEffect } from "../facts/run-facts.ts";
import { trendsBeyond } from "../facts/trends.ts";
import { COMPARISON, nameIn, runOfStates, type State } from "./states.ts";

/** A target, whatever its state. */
export interface PairedTarget {
  readonly name: string;
  /** Name in sentences and in tables. */
  readonly spoken: string;
}

/** The run of one target in two states, measured in turns. */
export interface MeasuredPair extends PairedTarget {
  readonly facts: Facts;
}

/** A target that was not measured, and why. */
export interface AbsentPair extends PairedTarget {
  readonly code: Why;
  /** Words of what failed; null where the code says all. */
  readonly quote: string | null;
}

/** A case in which the two states of a target are not compared, with what tells them apart. */
export interface OtherWork {
  readonly target: PairedTarget;
  readonly case: Pick<CaseFacts, "id" | "title" | "description" | "path" | "app" | "kindOfWork">;
  readonly quote: string;
}

/** All that one command compared of two states. */
export interface ComparedStates {
  readonly pairs: readonly MeasuredPair[];
  readonly absent: readonly AbsentPair[];
  readonly otherWork: readonly OtherWork[];
  readonly before: StatePart;
  readonly after: StatePart;
  /** What is known of the command, whatever was measured. */
  readonly asked: Pick<RunFacts, "startedAt" | "command" | "settings" | "evenbench">;
}

/** One of two states that are compared. */
export type StatePart = Pick<RunPart, "id" | "commit" | "changed">;

/** Joins the runs of targets in two states into one table of facts. */
export function factsOfStates({ pairs, absent, otherWork, ...states }: ComparedStates): Facts {
  const measured = pairs.map(inStates);
  const run = runOf(measured, states);
  const of = <Row>(rows: (facts: Facts) => readonly Row[]) => measured.flatMap(rows);
  const left = otherWork.map((each) => notCompared(each.target.name, each.case.id, "answers-differ"));
  const measuredNames = new Set(pairs.map(({ name }) => name));
  const others = otherWork.filter(({ target }) => !measuredNames.has(target.name));
  const unmeasured = [...new Map(others.map(({ target }) => [target.name, target])).values()];
  const changes = [...of((facts) => facts.changes), ...left];
  const trends = of((facts) => facts.trends);
  const named = [...of((facts) => facts.cases), ...otherWork.map(({ case: ofCase }) => caseOf(ofCase))];
  const cases = [...new Map(named.toReversed().map((each) => [each.id, each])).values()].toReversed();
  const targets = [
    ...of((facts) => facts.targets),
    ...unmeasured.flatMap((target) => statesWithoutRun(target, null)),
    ...absent.flatMap(({ code, quote, ...target }) => statesWithoutRun(target, { code, quote })),
  ];
  return {
    ...COMPARISON,
    rules: RULES,
    run,
    cases: byEffect(cases, ({ id }) => id, changes, targets),
    targets,
    levels: of((facts) => facts.levels),
    changes,
    trends: [...trends, ...trendsBeyond(trends, changes)],
    answers: of((facts) => facts.answers),
    settings: of((facts) => facts.settings),
    notices: joined([
      ...absent.map(absentNotice),
      ...otherWork.map(otherWorkNotice),
      ...of((facts) => facts.notices),
    ]),
    app: measured[0]?.app ?? null,
  };
}

/** What is said of the runs together; of none what is known of the command. */
function runOf(
  measured: readonly Facts[],
  { before, after, asked }: Pick<ComparedStates, "before" | "after" | "asked">,
): RunFacts {
  const [first, ...others] = measured.map(({ run }) => run);
  const joinedRun = first === undefined ? { ...NOT_RUN, ...asked } : runOfStates([first, ...others]);
  const { machine } = joinedRun;
  return {
    ...joinedRun,
    ...asked,
    id: first === undefined ? `${before.id}..${after.id}` : measured.map(({ run }) => run.id).join(".."),
    seed: first?.seed ?? null,
    parts: [
      { ...before, state: "before", machine },
      { ...after, state: "after", machine },
    ],
  };
}

/** A comparison of which nothing was measured. */
const NOT_RUN = {
  id: "",
  tookMs: null,
  measuringMs: 0,
  warmUpMs: 0,
  status: "complete",
  quick: false,
  seed: null,
  trials: { fewest: 0, most: 0, planned: 0 },
  of: "states",
  from: "local",
  machine: null,
  commit: null,
  repository: null,
  parts: [],
  judgedFrom: "samples",
} as const satisfies Partial<RunFacts>;

/** Names the targets of a pair's run by their states: what the other is compared with is the state before. */
function inStates({ facts, ...pair }: MeasuredPair): Facts {
  const main = facts.changes.filter(({ role }) => role === "main");
  const baselines = new Set(main.map(({ baseline }) => baseline));
  const stateOf = ({ name, copyOf, state }: TargetFacts): State =>
    state ?? (baselines.has(copyOf ?? name) ? "before" : "after");
  const nameOf = (target: TargetFacts) => {
    const name = nameIn(pair.name, stateOf(target));
    return target.copyOf === null ? name : `copy of ${name}`;
  };
  const names = new Map(facts.targets.map((target) => [target.name, nameOf(target)]));
  const named = (name: string) => names.get(name) ?? name;
  const renamed = <Row extends { readonly target: string }>(rows: readonly Row[]): readonly Row[] =>
    rows.map((row) => ({ ...row, target: named(row.target) }));
  return {
    ...facts,
    cases: facts.cases.map((ofCase) => ({ ...ofCase, baseline: null })),
    targets: facts.targets.map(
      (target): TargetFacts => ({
        ...target,
        name: named(target.name),
        column: pair.name,
        spoken: pair.spoken,
        copyOf: target.copyOf === null ? null : named(target.copyOf),
        state: stateOf(target),
      }),
    ),
    levels: renamed(facts.levels),
    changes: [
      ...renamed(facts.changes)
        .filter(({ role }) => role !== "other")
        .map((change): Change => ({ ...change, baseline: named(change.baseline) })),
      ...withoutAnswer(facts, pair.name),
    ],
    trends: renamed(facts.trends),
    answers: renamed(facts.answers),
    settings: facts.settings.map(({ byTarget, ...setting }) => ({ ...setting, byTarget: renamed(byTarget) })),
    notices: facts.notices.map((notice) => ({ ...notice, found: notice.found.map(renamedIn(named)) })),
  };
}

/** Names each case of a pair's run that has no change by time: no target answered it. */
function withoutAnswer({ cases, changes }: Facts, pair: string): readonly Change[] {
  const compared = new Set(
    changes.flatMap((change) => (change.metric === "lastByteMs" ? [change.case] : [])),
  );
  return cases.flatMap(({ id }) => (compared.has(id) ? [] : [notCompared(pair, id, "no-answer")]));
}

/** The change by time of a target in a case in which its states are not compared. */
function notCompared(pair: string, caseId: string, why: Why): Change {
  return withoutVerdict({
    case: caseId,
    target: nameIn(pair, "after"),
    baseline: nameIn(pair, "before"),
    metric: "lastByteMs",
    why,
  });
}

function renamedIn(named: (name: string) => string): (found: Found) => Found {
  return (found) => ({ ...found, target: found.target === null ? null : named(found.target) });
}

/** A case that was proven to be other work: nothing of it was measured. */
function caseOf(ofCase: OtherWork["case"]): CaseFacts {
  const none = { source: null, streams: false, baseline: null, notSameCode: null, bodiesVary: null };
  return { ...ofCase, ...none };
}

function otherWorkNotice({ target, case: { id }, quote }: OtherWork): Notice {
  return noticeAt("case-failed", { case: id, target: nameIn(target.name, "after"), quote });
}

/** Says of a target that it was not measured: equal builds leave nothing to find, and anything else is missing. */
function absentNotice({ name, code, quote }: AbsentPair): Notice {
  const found = { target: nameIn(name, "after"), quote };
  if (code === "equal-builds") {
    return noticeAt("equal-builds", found);
  }
  return noticeAt(code === "not-built" ? "build-failed" : "case-failed", found);
}

/** The two states of a target without a run. @param absent why the later state is not there; null where it is. */
function statesWithoutRun(
  { name, spoken }: PairedTarget,
  absent: TargetFacts["absent"],
): readonly TargetFacts[] {
  const stateOf = (state: State): TargetFacts => ({
    name: nameIn(name, state),
    platform: null,
    app: null,
    column: name,
    spoken,
    copyOf: null,
    state,
    colour: 0,
    runtime: null,
    engine: null,
    adapter: null,
    artifact: null,
    size: null,
    usdPerCpuHour: null,
    usdPerMillion: null,
    limits: [],
    absent: state === "after" ? absent : null,
  });
  return [stateOf("before"), stateOf("after")];
}

import { readRunRecord } from "@evenbench/results";
import type { CaseFacts, Change, Facts, Level, Metric, Notice, TargetFacts, Why } from "../facts/facts.ts";
import { foundAt, joined, noticeAt } from "../facts/notices.ts";
import { readFacts } from "../facts/read-facts.ts";
import { withoutVerdict } from "../facts/rows.ts";
import { byEffect } from "../facts/run-facts.ts";
import { trendsBeyond } from "../facts/trends.ts";
import { judgePairs, type StatePair } from "./judge.ts";
import {
  conditionsThatDiffer,
  type Difference,
  isSameRun,
  type MeasuredRun,
  objectionsTo,
  objectionsToCase,
} from "./plans.ts";
import {
  COMPARED_METRICS,
  COMPARISON,
  inState,
  missingIn,
  nameIn,
  runOfStates,
  type State,
} from "./states.ts";

/** Options of comparing two runs. */
export interface CompareOptions {
  /** True where damaged, unfinished and unequal runs are judged, too. Default: false. */
  readonly anyway?: boolean;
}

/**
 * Compares the same targets in two runs. Damaged, unfinished and unequal ones have no verdict, unless it is asked for
 * (`anyway`).
 *
 * @throws {ResultsError} when a folder holds no run that can be read.
 */
export async function compareRuns(
  folderBefore: string,
  folderAfter: string,
  { anyway = false }: CompareOptions = {},
): Promise<Facts> {
  const before = await readMeasured(folderBefore);
  const after = await readMeasured(folderAfter);
  const objections = objectionsTo(before, after);
  const isSame = isSameRun(before, after);
  const cases = casesOf(before, after);
  const ofCases = cases.flatMap(({ id }) => objectionsToCase(id, before, after));
  const forbids = (caseId: string | null) =>
    isSame || objections.length > 0 || ofCases.some((objection) => objection.case === caseId);
  const isForbidden = anyway ? () => false : forbids;
  const changes = [
    ...COMPARED_METRICS.flatMap((metric) =>
      changesBy(metric, pairsOf(metric, cases, before, after), isForbidden),
    ),
    ...changesBy("startupCpuMs", startPairs(before.facts, after.facts), isForbidden),
  ];
  const trends = ofBoth(before.facts, after.facts, (facts) => facts.trends);
  const targets = targetsOf(before.facts, after.facts);
  return {
    ...COMPARISON,
    rules: after.facts.rules,
    run: {
      ...runOfStates([before.facts.run, after.facts.run]),
      id: `${before.run.id}..${after.run.id}`,
      parts: [partOf(before, "before"), partOf(after, "after")],
    },
    cases: byEffect(cases, ({ id }) => id, changes, targets),
    targets,
    levels: ofBoth(before.facts, after.facts, ({ levels }) => levels),
    changes,
    trends: [...trends, ...trendsBeyond(trends, changes)],
    answers: ofBoth(before.facts, after.facts, ({ answers }) => answers),
    settings: [],
    notices: noticesOf(before, after, [...objections, ...ofCases], isSame, anyway ? "caution" : "void"),
  };
}

async function readMeasured(folder: string): Promise<MeasuredRun> {
  const { facts, run } = await readFacts(folder);
  return { facts, run: run ?? (await readRunRecord(folder)) };
}

function partOf({ run, facts }: MeasuredRun, state: State): Facts["run"]["parts"][number] {
  const { commit = null, changed = null } = run.source ?? {};
  return { id: run.id, state, commit, changed, machine: facts.run.machine };
}

/** The cases of the run after, and those that the run before alone has. */
function casesOf(before: MeasuredRun, after: MeasuredRun): readonly CaseFacts[] {
  const gone = before.facts.cases.filter(({ id }) => !after.facts.cases.some((other) => other.id === id));
  return [...after.facts.cases, ...gone].map((each) => ({ ...each, baseline: null }));
}

/** Both states of each target: of those that one run alone has, the other state is named as missing. */
function targetsOf(before: Facts, after: Facts): readonly TargetFacts[] {
  const originals = [before, after].map(({ targets }) => targets.filter(({ copyOf }) => copyOf === null));
  const [then = [], now = []] = originals;
  const all = [...now, ...then.filter(({ name }) => !now.some((other) => other.name === name))];
  const stateOf = (own: readonly TargetFacts[], target: TargetFacts, state: State) => {
    const found = own.find(({ name }) => name === target.name);
    return found === undefined ? missingIn(target, state) : inState(found, state);
  };
  return [
    ...all.map((target) => stateOf(then, target, "before")),
    ...all.map((target) => stateOf(now, target, "after")),
  ];
}

/** Takes what both runs have of their targets, but for A/A copies, by the names of the two states. */
function ofBoth<Row extends { readonly target: string }>(
  before: Facts,
  after: Facts,
  rowsOf: (facts: Facts) => readonly Row[],
): readonly Row[] {
  const named = (facts: Facts, state: State) => {
    const copies = new Set(facts.targets.flatMap(({ name, copyOf }) => (copyOf === null ? [] : [name])));
    const own = rowsOf(facts).filter(({ target }) => !copies.has(target));
    return own.map((row) => ({ ...row, target: nameIn(row.target, state) }));
  };
  return [...named(before, "before"), ...named(after, "after")];
}

/** A target in one case, or in none, by one metric, with what each run measured of it. */
interface MetricPair {
  readonly case: string | null;
  readonly target: string;
  /** The levels of both; or why there is none to compare. */
  readonly measured: { readonly before: Level; readonly after: Level } | Why;
  readonly scatter: number | undefined;
}

/** Lists what could be compared by a metric: by time each target of each case, by others what both runs know by trials. */
function pairsOf(
  metric: Metric,
  cases: readonly CaseFacts[],
  before: MeasuredRun,
  after: MeasuredRun,
): readonly MetricPair[] {
  return cases.flatMap((ofCase) => {
    const { scatter } = after.run.plan.cases.find(({ id }) => id === ofCase.id) ?? {};
    return namesIn(ofCase, before.facts, after.facts).flatMap((target): readonly MetricPair[] => {
      const [then, now] = [before, after].map((state) => levelIn(state, ofCase.id, target, metric));
      if (then === undefined || now === undefined) {
        return [];
      }
      const pair = { case: ofCase.id, target, scatter };
      if (typeof then === "string" || typeof now === "string") {
        const why = typeof then === "string" ? then : (now as Why);
        return metric === "lastByteMs" ? [{ ...pair, measured: why }] : [];
      }
      const isKnown = then.byTrial.length > 0 && now.byTrial.length > 0;
      if (metric !== "lastByteMs" && !isKnown) {
        return [];
      }
      return [{ ...pair, measured: { before: then, after: now } }];
    });
  });
}

/** Lists the starts that both runs measured: they are of no case. */
function startPairs(before: Facts, after: Facts): readonly MetricPair[] {
  const starts = ({ levels }: Facts) => levels.filter(({ metric }) => metric === "startupCpuMs");
  return starts(after).flatMap((now): readonly MetricPair[] => {
    const { target } = now;
    const then = starts(before).find((each) => each.target === target);
    return then === undefined
      ? []
      : [{ case: null, target, measured: { before: then, after: now }, scatter: undefined }];
  });
}

/** Lists the targets of a case in either run, in the order of the run after: apps have cases of their own. */
function namesIn({ id }: CaseFacts, before: Facts, after: Facts): readonly string[] {
  const runs = [after, before];
  // Nobody knows the app of a case that no target answered in one of the runs.
  const apps = runs.flatMap(({ cases }) => cases.filter((each) => each.id === id).map(({ app }) => app));
  const targets = runs.flatMap((facts) => facts.targets.filter(({ copyOf }) => copyOf === null));
  const own = targets.filter(({ app }) => app === null || apps.includes(app));
  return [...new Set(own.map(({ name }) => name))];
}

function levelIn({ run, facts }: MeasuredRun, caseId: string, target: string, metric: Metric): Level | Why {
  const known = facts.targets.find(({ name }) => name === target);
  if (known === undefined || !facts.cases.some(({ id }) => id === caseId)) {
    return "one-state-only";
  }
  if (known.absent !== null) {
    return known.absent.code;
  }
  const isDropped = run.events.some(
    (event) => event.kind === "target-dropped" && event.caseId === caseId && event.target === target,
  );
  if (isDropped) {
    return "dropped";
  }
  const level = facts.levels.find(
    (each) => each.case === caseId && each.target === target && each.metric === metric,
  );
  return level === undefined || level.value === null ? "no-answer" : level;
}

/** Makes the changes of one metric. Pairs that may not be judged still tell how much instances vary. */
function changesBy(
  metric: Metric,
  pairs: readonly MetricPair[],
  isForbidden: (caseId: string | null) => boolean,
): readonly Change[] {
  const measured = pairs.flatMap((pair) =>
    typeof pair.measured === "string" ? [] : [{ ...pair, measured: pair.measured }],
  );
  const judged = judgePairs(
    measured.map(
      ({ measured: { before, after }, scatter }): StatePair => ({
        before: before.byTrial,
        after: after.byTrial,
        scatter,
      }),
    ),
  );
  const judgedOf = new Map(measured.map((pair, index) => [`${pair.case} ${pair.target}`, judged[index]]));
  return pairs.map((pair): Change => {
    const none = withoutVerdict({
      case: pair.case,
      target: nameIn(pair.target, "after"),
      baseline: nameIn(pair.target, "before"),
      metric,
      why: whyNone(pair, isForbidden(pair.case)),
    });
    return none.why === null ? { ...none, ...judgedOf.get(`${pair.case} ${pair.target}`) } : none;
  });
}

/** Says why a pair has no verdict; null where it has one. */
function whyNone({ measured }: MetricPair, isForbidden: boolean): Why | null {
  if (typeof measured === "string") {
    return measured;
  }
  if (isForbidden) {
    return "unlike-runs";
  }
  return measured.before.why ?? measured.after.why;
}

/**
 * Says what a reader has to know: what both runs' own facts say, and what differs between them.
 *
 * @param weight that of what speaks against comparing them.
 */
function noticesOf(
  before: MeasuredRun,
  after: MeasuredRun,
  objections: readonly Difference[],
  isSame: boolean,
  weight: Notice["weight"],
): readonly Notice[] {
  const own = [before, after].flatMap(({ facts }) => facts.notices.map(withoutPlaces));
  const differing: readonly Notice[] = [
    unlike(weight, objections),
    unlike("caution", conditionsThatDiffer(before.facts, after.facts)),
  ].filter(({ found }) => found.length > 0);
  const same = isSame ? [noticeAt("same-run", { quote: before.run.id }, weight)] : [];
  return joined([...same, ...differing, ...own, noticeAt("not-in-turns")]);
}

/** Leaves out of a notice which target it is about: here two have its name. */
function withoutPlaces({ code, weight, found }: Notice): Notice {
  return { code, weight, found: found.map((each) => ({ ...each, target: null })) };
}

function unlike(weight: Notice["weight"], differences: readonly Difference[]): Notice {
  return {
    code: "unlike-runs",
    weight,
    found: differences.map(({ case: caseId, target, key, before, after }) =>
      foundAt({
        case: caseId,
        target: target === null ? null : nameIn(target, "after"),
        differs: { key, before, after },
      }),
    ),
  };
}

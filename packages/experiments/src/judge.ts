import type { ClaimVerdict, Estimate, Figure, FigureUnit, Outcome, PartVerdict } from "@evenbench/results";
import { divided } from "@evenbench/stats";
import type {
  Experiment,
  FigureQuestion,
  FigureWords,
  LoadQuestion,
  MeasuredEvidence,
  RatioQuestion,
  Rule,
  SideQuestion,
} from "./define.ts";
import { valueAt } from "./load-sides.ts";
import type { ComparisonResult } from "./side-results.ts";

/** Largest multiple of the time that is advised. */
const MAX_TIMES = 50;

/**
 * Says what would decide an open part: an interval narrows with the root of the time, to one side of the nearest
 * boundary.
 *
 * @param boundaries of the rule; those that are not finite bound nothing.
 */
function whatDecides({ estimate, low, high }: Estimate, boundaries: readonly number[]): string {
  const distances = boundaries.filter(Number.isFinite).map((boundary) => {
    const half = boundary < estimate ? estimate - low : high - estimate;
    return half / Math.abs(estimate - boundary);
  });
  const times = Math.ceil(Math.max(0, ...distances) ** 2);
  return times > MAX_TIMES
    ? "The estimate lies so near to it that no time a user has would decide it."
    : `About ${times} times the time (--time) would decide it, should the estimate stay.`;
}

/** Why a figure has no value, where nothing else says it. */
const TOO_LITTLE =
  "Too little was measured, or the system does not report it. More time (--time) gives more.";

/** The remedy for a side that was not warm; it follows the reason. */
const WARM_UP_REMEDY = "More time (--time) gives it more warm-up and more trials.";

/** Gives half of a published factor on the scale of logarithms: a claim of 4× holds from 2× on. */
export function halfOf(published: number): number {
  return Math.sqrt(published);
}

/**
 * Makes the rule that one side takes more than another; the claim is reversed below 1.
 *
 * @param decidesAt more than 1: `halfOf` the published factor, or the least that the claim's words mean.
 */
export function takesMore(decidesAt: number): Rule {
  const decider = `${decidesAt.toFixed(2)}×, which decides`;
  return (value) => {
    const { low, high } = value;
    if (low > decidesAt) {
      return ["reproduced", `The interval lies above ${decider}.`];
    }
    if (high < 1) {
      return ["reversed", "The interval lies below 1."];
    }
    if (high < decidesAt) {
      return ["not reproduced", `The interval lies below ${decider}.`];
    }
    return ["unclear", `The interval includes ${decider}. ${whatDecides(value, [decidesAt])}`];
  };
}

/** Makes the rule that a ratio is 1, but for the fraction `within`. */
export function takesTheSame(within: number): Rule {
  return isInside(1 / (1 + within), 1 + within, `Within ${Math.round(within * 100)} % of 1 is the same.`);
}

/** Makes the rule that a value is the expected one, but for the fraction `within` of it. */
export function isNear(expected: number, within: number): Rule {
  const criterion = `Expected: ${Number(expected.toPrecision(3))} ± ${Math.round(within * 100)} %.`;
  return isInside(expected * (1 - within), expected * (1 + within), criterion);
}

/** Makes the rule that a value lies from `least` to `most`. @param criterion what decides, as a sentence. */
export function isInside(least: number, most: number, criterion: string): Rule {
  return (value) => {
    const { low, high } = value;
    if (low >= least && high <= most) {
      return ["reproduced", criterion];
    }
    if (low > most || high < least) {
      return ["not reproduced", criterion];
    }
    const decides = whatDecides(value, [least, most]);
    return ["unclear", `${criterion} The interval reaches across it. ${decides}`];
  };
}

/** Makes the rule that a value lies above a boundary. */
export function isAbove(boundary: number): Rule {
  return isInside(boundary, Number.POSITIVE_INFINITY, `${boundary}× decides.`);
}

/** Makes the rule that a value lies below a boundary. */
export function isBelow(boundary: number): Rule {
  return isInside(Number.NEGATIVE_INFINITY, boundary, `${boundary}× decides.`);
}

/** Makes a figure. With a rule it decides, and its note says why; without a value it says why there is none. */
export function figureOf(
  label: string,
  unit: FigureUnit,
  value: Estimate | number | null,
  { rule, note = null }: { readonly rule?: Rule | undefined; readonly note?: string | null } = {},
): Figure {
  const known = typeof value === "number" ? { estimate: value, low: value, high: value } : value;
  if (rule === undefined) {
    return { label, unit, value: known, verdict: null, note };
  }
  if (known === null) {
    return { label, unit, value: null, verdict: "unclear", note: note ?? TOO_LITTLE };
  }
  const [verdict, why] = rule(known);
  return { label, unit, value: known, verdict, note: why };
}

type MeasuredResults = Pick<MeasuredEvidence, "comparisons" | "loads">;

/** Makes the figure that a question asks for; it decides where the question has a rule. */
export function figureFor(measured: MeasuredResults, question: FigureQuestion): Figure {
  if ("load" in question) {
    return figureOfLoad(measured, question);
  }
  return "unit" in question ? figureOfSide(measured, question) : figureOfRatio(measured, question);
}

function figureOfLoad({ loads }: MeasuredResults, question: FigureWords & LoadQuestion): Figure {
  const { label, rule, unit = "ratio", note = null } = question;
  const seen = loads[question.load];
  return figureOf(label, unit, seen === undefined ? null : valueAt(seen, question), { rule, note });
}

/** Makes the figure of one side's value; without one it says why there is none. */
function figureOfSide({ comparisons }: MeasuredResults, question: FigureWords & SideQuestion): Figure {
  const { label, rule, side, unit, pick } = question;
  const comparison = comparisons[question.comparison];
  const result = comparison?.sides.find(({ name }) => name === side);
  const value = result === undefined ? null : pick(result);
  const note = value === null ? whyNoFigure(comparison, [side]) : null;
  return figureOf(label, unit, value, { rule, note });
}

/** Makes the figure of a ratio of two sides, or of two ratios; without them it says why there is none. */
function figureOfRatio({ comparisons }: MeasuredResults, question: FigureWords & RatioQuestion): Figure {
  const { label, rule, metric, beside } = question;
  const contrastOf = ({ comparison: id, side, against }: NonNullable<RatioQuestion["beside"]>) =>
    comparisons[id]?.contrasts.find((contrast) => contrast.side === side && contrast.against === against);
  const ratioOf = (pair: NonNullable<RatioQuestion["beside"]>) => contrastOf(pair)?.[metric] ?? null;
  const pairs = beside === undefined ? [question] : [question, beside];
  const missing = pairs.find((pair) => ratioOf(pair) === null);
  if (missing !== undefined) {
    const sides = [missing.side, missing.against];
    const notWarm = contrastOf(missing)?.notWarm ?? null;
    const why =
      notWarm === null ? whyNoFigure(comparisons[missing.comparison], sides) : `${notWarm} ${WARM_UP_REMEDY}`;
    return figureOf(label, "ratio", null, { rule, note: why });
  }
  const ratio = ratioOf(question);
  const other = beside === undefined ? null : ratioOf(beside);
  const value = ratio === null || other === null ? ratio : divided(ratio, other);
  return figureOf(label, "ratio", value, { rule });
}

function whyNoFigure(comparison: ComparisonResult | undefined, sides: readonly string[]): string {
  const known = comparison?.unmeasured.filter(({ name }) => sides.includes(name)) ?? [];
  return known.length === 0
    ? TOO_LITTLE
    : known.map(({ name, why }) => `${name} was not measured: ${why}`).join(" ");
}

/** Gives what the measurements of an experiment say of its claim. */
export function decided(
  { figures = [], note = "", decide }: Experiment,
  measured: MeasuredEvidence,
): Outcome {
  const loads = Object.values(measured.loads);
  const evidence = {
    ...measured,
    figures: figures.map((question) => figureFor(measured, question)),
  };
  if (decide !== undefined) {
    return decide(evidence);
  }
  const notes = [note, ...loads.flatMap((load) => load.notes)].join(" ").trim();
  return outcomeOf(evidence.figures, notes);
}

/**
 * Makes the outcome of an experiment by its figures; those that decide come first.
 *
 * @param note is said behind the reason.
 */
export function outcomeOf(figures: readonly Figure[], note = ""): Outcome {
  const { verdict, reason } = conclude(figures);
  const shown = figures.filter((figure) => figure.verdict === null);
  return {
    verdict,
    reason: `${reason} ${note}`.trim(),
    figures: [...figures.filter((figure) => figure.verdict !== null), ...shown],
  };
}

/**
 * Finds the verdict of several parts, and the reason: "reproduced" where all are, "reproduced in part" where some are,
 * "unclear" where all are open, else "not reproduced" or "reversed": no open part can mend that.
 */
function conclude(figures: readonly Figure[]): Pick<Outcome, "verdict" | "reason"> {
  const deciding = figures.filter(({ verdict }) => verdict !== null);
  const [first, ...others] = deciding;
  if (first === undefined) {
    return { verdict: "unclear", reason: "Nothing was measured that could decide." };
  }
  // "Reproduced: this; that. Unclear: the other."
  const groups = Map.groupBy(deciding, ({ verdict }) => verdict as PartVerdict);
  const listed = [...groups].map(([verdict, group]) => {
    const word = verdict.charAt(0).toUpperCase() + verdict.slice(1);
    return `${word}: ${group.map(({ label }) => label).join("; ")}.`;
  });
  const verdict = verdictOfParts([...groups.keys()]);
  return { verdict, reason: (others.length === 0 ? first.note : listed.join(" ")) ?? first.label };
}

/** Joins verdicts of parts. @param verdicts the different ones among those of the parts, one at least. */
function verdictOfParts(verdicts: readonly PartVerdict[]): ClaimVerdict {
  const [only] = verdicts;
  if (verdicts.length === 1 && only !== undefined) {
    return only;
  }
  if (verdicts.includes("reproduced")) {
    return "reproduced in part";
  }
  return verdicts.includes("not reproduced") ? "not reproduced" : "reversed";
}

/**
 * Writes a claim's verdict with how many of its parts have it, and how many are open: "reproduced in part (2 of 4, 1
 * open)".
 */
export function claimWords({ verdict, figures }: Pick<Outcome, "verdict" | "figures">): string {
  const parts = figures.filter((figure) => figure.verdict !== null);
  const own = verdict === "reproduced in part" ? "reproduced" : verdict;
  const alike = parts.filter((figure) => figure.verdict === own).length;
  const open = parts.filter((figure) => figure.verdict === "unclear").length;
  if (verdict === "unclear" || alike === parts.length) {
    return verdict;
  }
  return `${verdict} (${alike} of ${parts.length}${open === 0 ? "" : `, ${open} open`})`;
}

import type {
  ClaimVerdict,
  ComparisonResult,
  Contrast,
  Estimate,
  Figure,
  FigureTable,
  FigureUnit,
  Outcome,
} from "@evenbench/results";
import type { RatioInterval } from "@evenbench/stats";

/** What of a contrast is looked at. */
export type ContrastMetric = "firstByteMs" | "lastByteMs" | "cpu";

export interface Question {
  readonly label: string;
  readonly side: string;
  readonly against: string;
  readonly metric: ContrastMetric;
}

/** What an interval says of a claim, and why. */
type Rule = (value: Estimate) => readonly [ClaimVerdict, string];

const MORE_TIME = "More time (--time) narrows it.";
const TOO_LITTLE =
  "Too little was measured, or the system does not report it. More time (--time) gives more.";

/** Half of a published factor on the scale of logarithms: what decides about it. */
export function halfOf(published: number): number {
  return Math.sqrt(published);
}

/**
 * That one side takes more than another: reproduced above `decidesAt`, reversed below 1, not reproduced below `decidesAt`.
 *
 * @param question.decidesAt more than 1; `halfOf` the published factor, or, where none was published, the least that the
 *   claim's words mean.
 */
export function judgeRatio(
  comparison: ComparisonResult | undefined,
  { decidesAt, ...question }: Question & { readonly decidesAt: number },
): Figure {
  const decider = `${decidesAt.toFixed(2)}×, which decides`;
  return judged(ratioFigure(comparison, question), ({ low, high }) => {
    if (low > decidesAt) return ["reproduced", `The interval lies above ${decider}.`];
    if (high < 1) return ["reversed", "The interval lies below 1."];
    if (high < decidesAt) return ["not reproduced", `The interval lies below ${decider}.`];
    return ["inconclusive", `The interval includes ${decider}. ${MORE_TIME}`];
  });
}

/** That two sides take the same, within a fraction. */
export function judgeEqual(
  comparison: ComparisonResult | undefined,
  { within, ...question }: Question & { readonly within: number },
): Figure {
  return judged(ratioFigure(comparison, question), sameWithin(within));
}

interface Answer {
  readonly comparison: ComparisonResult | undefined;
  readonly side: string;
  readonly against: string;
}

/**
 * That two ways of measuring give the same ratio, within a fraction. The figure is one divided by the other; half-widths
 * add in quadrature on the scale of logarithms, as for independent estimates.
 */
export function judgeAnswers(question: {
  readonly label: string;
  readonly metric: ContrastMetric;
  readonly one: Answer;
  readonly other: Answer;
  readonly within: number;
}): Figure {
  const { label, metric, within } = question;
  const [one, other] = [question.one, question.other].map(
    ({ comparison, side, against }) => findContrast(comparison, side, against)?.[metric],
  );
  const value = one != null && other != null ? quotient(one, other) : null;
  const note = value === null ? "One of the two was not measured." : null;
  return judged({ label, unit: "ratio", value, verdict: null, note }, sameWithin(within));
}

/** Reproduced above a boundary, not reproduced below. */
export function judgeAbove(label: string, interval: RatioInterval | null, boundary: number): Figure {
  return judged(
    intervalFigure(label, "ratio", interval),
    decidedAt(boundary, "reproduced", "not reproduced"),
  );
}

/** Reproduced below a boundary, not reproduced above. */
export function judgeBelow(label: string, interval: RatioInterval | null, boundary: number): Figure {
  return judged(
    intervalFigure(label, "ratio", interval),
    decidedAt(boundary, "not reproduced", "reproduced"),
  );
}

/** Reproduced within a fraction of what is expected. */
export function judgeNear(
  label: string,
  unit: FigureUnit,
  interval: RatioInterval | null,
  { expected, within }: { readonly expected: number; readonly within: number },
): Figure {
  const said = `Expected: ${Number(expected.toPrecision(3))} ± ${Math.round(within * 100)} %.`;
  const rule = inside(expected * (1 - within), expected * (1 + within), {
    in: said,
    out: said,
    across: said,
  });
  return judged(intervalFigure(label, unit, interval), rule);
}

function sameWithin(within: number): Rule {
  const said = `${Math.round(within * 100)} % of 1`;
  return inside(1 / (1 + within), 1 + within, {
    in: `The interval lies within ${said}.`,
    out: `The interval lies more than ${said} away.`,
    across: `The interval reaches across the margin of ${said}.`,
  });
}

function inside(
  least: number,
  most: number,
  words: { readonly in: string; readonly out: string; readonly across: string },
): Rule {
  return ({ low, high }) => {
    if (low >= least && high <= most) return ["reproduced", words.in];
    if (low > most || high < least) return ["not reproduced", words.out];
    return ["inconclusive", `${words.across} ${MORE_TIME}`];
  };
}

export function decidedAt(boundary: number, above: ClaimVerdict, below: ClaimVerdict): Rule {
  const said = `${boundary}× decides.`;
  return ({ low, high }) => {
    if (low > boundary) return [above, said];
    if (high < boundary) return [below, said];
    return ["inconclusive", `${said} The interval reaches across it. ${MORE_TIME}`];
  };
}

/** A figure without a value keeps its note, which says why. */
export function judged(figure: Figure, rule: Rule): Figure {
  if (figure.value === null) return { ...figure, verdict: "inconclusive" };
  const [verdict, note] = rule(figure.value);
  return { ...figure, verdict, note };
}

export function ratioFigure(
  comparison: ComparisonResult | undefined,
  { label, side, against, metric }: Question,
): Figure {
  const contrast = findContrast(comparison, side, against);
  const value = contrast?.[metric] ?? null;
  const why = () => contrast?.notWarm ?? whyMissing(comparison, [side, against]);
  return { label, unit: "ratio", value, verdict: null, note: value === null ? why() : null };
}

export function sideFigure(
  comparison: ComparisonResult | undefined,
  side: string,
  figure: Pick<Figure, "label" | "unit">,
  pick: (result: ComparisonResult["sides"][number]) => Estimate | number | null,
): Figure {
  const result = comparison?.sides.find(({ name }) => name === side);
  const value = result === undefined ? null : pick(result);
  const note = value === null ? whyMissing(comparison, [side]) : null;
  return { ...figure, value: typeof value === "number" ? exactly(value) : value, verdict: null, note };
}

function intervalFigure(label: string, unit: FigureUnit, interval: RatioInterval | null): Figure {
  return {
    label,
    unit,
    value: estimate(interval),
    verdict: null,
    note: interval === null ? TOO_LITTLE : null,
  };
}

export function exactly(value: number): Estimate {
  return { estimate: value, low: value, high: value };
}

export function estimate(interval: RatioInterval | null): Estimate | null {
  return interval === null ? null : { estimate: interval.estimate, low: interval.low, high: interval.high };
}

function quotient(one: Estimate, other: Estimate): Estimate {
  const value = one.estimate / other.estimate;
  const above = Math.hypot(Math.log(one.high / one.estimate), Math.log(other.estimate / other.low));
  const below = Math.hypot(Math.log(one.estimate / one.low), Math.log(other.high / other.estimate));
  return { estimate: value, low: value / Math.exp(below), high: value * Math.exp(above) };
}

export function findContrast(
  comparison: ComparisonResult | undefined,
  side: string,
  against: string,
): Contrast | null {
  return comparison?.contrasts.find((one) => one.side === side && one.against === against) ?? null;
}

function whyMissing(comparison: ComparisonResult | undefined, sides: readonly string[]): string {
  const known = comparison?.unmeasured.filter(({ name }) => sides.includes(name)) ?? [];
  return known.length === 0
    ? TOO_LITTLE
    : known.map(({ name, why }) => `${name} was not measured: ${why}`).join(" ");
}

/** What figures decide together, with others that only show. */
export function outcomeOf(
  deciding: readonly Figure[],
  others: readonly Figure[] = [],
  tables: readonly FigureTable[] = [],
): Outcome {
  return { ...conclude(deciding), figures: [...deciding, ...others], tables };
}

/**
 * The verdict of several figures: theirs where they agree; "inconclusive" where one of them cannot; else "not
 * reproduced", since the claim holds in part only.
 */
export function conclude(figures: readonly Figure[]): Pick<Outcome, "verdict" | "reason"> {
  const deciding = figures.filter(({ verdict }) => verdict !== null);
  const [first, ...others] = deciding;
  if (first === undefined)
    return { verdict: "inconclusive", reason: "Nothing was measured that could decide." };
  const isKnown = deciding.every(({ verdict }) => verdict !== "inconclusive");
  const isSame = others.every(({ verdict }) => verdict === first.verdict);
  const verdict = isSame ? first.verdict : isKnown ? "not reproduced" : "inconclusive";
  const reason = others.length === 0 ? first.note : listByVerdict(deciding);
  return { verdict: verdict as ClaimVerdict, reason: reason ?? first.label };
}

/** "Reproduced: this; that. Cannot tell: the other." */
function listByVerdict(figures: readonly Figure[]): string {
  return [...Map.groupBy(figures, ({ verdict }) => verdict ?? "")]
    .map(([verdict, ones]) => {
      const word = verdict.charAt(0).toUpperCase() + verdict.slice(1);
      return `${word}: ${ones.map(({ label }) => label).join("; ")}.`;
    })
    .join(" ");
}

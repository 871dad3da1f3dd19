import type { ClaimVerdict, ComparisonResult, Contrast, Estimate, Figure, Outcome } from "@evenbench/results";
import { furthest } from "@evenbench/stats";

/** What of a contrast is looked at. */
export type ContrastMetric = "firstByteMs" | "lastByteMs" | "cpu";

export interface Question {
  readonly label: string;
  readonly side: string;
  readonly against: string;
  readonly metric: ContrastMetric;
}

/** Half of a published factor on the scale of logarithms: what decides about it. */
export function halfOf(published: number): number {
  return Math.sqrt(published);
}

/**
 * Judges a claim that one side takes more than another.
 *
 * An interval that lies above `decidesAt`, and above all that the control's interval reaches, reproduces the
 * claim; one that lies below 1, beyond the control's reach, reverses it; one that lies below `decidesAt` does
 * not reproduce it, if the control stays below that, too. All else cannot be told: a control that reaches as
 * far as what decides has failed.
 *
 * @param question.decidesAt more than 1; `halfOf` the published factor, or, where none was published, the
 *   least that the claim's words mean.
 */
export function judgeRatio(
  comparison: ComparisonResult | undefined,
  { decidesAt, ...question }: Question & { readonly decidesAt: number },
): Figure {
  return judged(comparison, question, ({ low, high }, noise) => {
    const decider = `${decidesAt.toFixed(2)}×, which decides`;
    if (low > Math.max(decidesAt, noise)) return ["reproduced", `The interval lies above ${decider}.`];
    if (high < 1 / noise) return ["reversed", "The interval lies below 1, beyond what the control reaches."];
    if (noise >= decidesAt) return controlFailed(noise);
    if (high < decidesAt) return ["not reproduced", `The interval lies below ${decider}.`];
    return ["cannot tell", `The interval includes ${decider}. More time (--time) narrows it.`];
  });
}

/**
 * Judges a claim that two sides take the same: reproduced when the interval lies within `within` (a fraction)
 * of 1, and the control's, too; not reproduced when it lies outside, and beyond what the control reaches, on
 * either side.
 */
export function judgeEqual(
  comparison: ComparisonResult | undefined,
  { within, ...question }: Question & { readonly within: number },
): Figure {
  return judged(comparison, question, ({ low, high }, noise) => {
    const margin = 1 + within;
    const said = `${Math.round(within * 100)} % of 1`;
    const beyond = Math.max(margin, noise);
    if (low > beyond || high < 1 / beyond)
      return ["not reproduced", `The interval lies more than ${said} away.`];
    if (noise >= margin) return controlFailed(noise);
    if (low >= 1 / margin && high <= margin) return ["reproduced", `The interval lies within ${said}.`];
    return [
      "cannot tell",
      `The interval reaches across the margin of ${said}. More time (--time) narrows it.`,
    ];
  });
}

function controlFailed(noise: number): readonly [ClaimVerdict, string] {
  const reach = `${((noise - 1) * 100).toFixed(0)} %`;
  return [
    "cannot tell",
    `The control failed: two copies of one side may differ by ${reach}, as much as what would decide. More time (--time), or a quieter machine, narrows it.`,
  ];
}

export function ratioFigure(comparison: ComparisonResult | undefined, question: Question): Figure {
  const { value, note } = read(comparison, question);
  return { label: question.label, unit: "ratio", value, verdict: null, note };
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

export function exactly(value: number): Estimate {
  return { estimate: value, low: value, high: value };
}

/**
 * The verdict of several figures: theirs where they agree; "cannot tell" where one of them cannot; else "not
 * reproduced", since the claim holds in part only.
 */
export function conclude(figures: readonly Figure[]): Pick<Outcome, "verdict" | "reason"> {
  const deciding = figures.filter(({ verdict }) => verdict !== null);
  const [first, ...others] = deciding;
  if (first === undefined)
    return { verdict: "cannot tell", reason: "Nothing was measured that could decide." };
  const isKnown = deciding.every(({ verdict }) => verdict !== "cannot tell");
  const isSame = others.every(({ verdict }) => verdict === first.verdict);
  const verdict = isSame ? first.verdict : isKnown ? "not reproduced" : "cannot tell";
  const reason = others.length === 0 ? first.note : listByVerdict(deciding);
  return { verdict: verdict as ClaimVerdict, reason: reason ?? first.label };
}

/** "Reproduced: this; that. Cannot tell: the other." */
function listByVerdict(figures: readonly Figure[]): string {
  const groups = Map.groupBy(figures, ({ verdict }) => verdict ?? "");
  return [...groups]
    .map(([verdict, ones]) => {
      const word = verdict.charAt(0).toUpperCase() + verdict.slice(1);
      return `${word}: ${ones.map(({ label }) => label).join("; ")}.`;
    })
    .join(" ");
}

/** @param noise the largest ratio that the control's interval allows between two copies of one side; at least 1. */
type Decision = (value: Estimate, noise: number) => readonly [ClaimVerdict, string];

function judged(comparison: ComparisonResult | undefined, question: Question, decide: Decision): Figure {
  const { label, metric } = question;
  const { value, note } = read(comparison, question);
  const figure = { label, unit: "ratio", value } as const;
  if (value === null) return { ...figure, verdict: "cannot tell", note };
  const control = comparison?.control?.[metric] ?? null;
  if (control === null)
    return {
      ...figure,
      verdict: "cannot tell",
      note: comparison?.control?.notWarm ?? "The control was not measured, so nothing vouches for it.",
    };
  const [verdict, why] = decide(value, 1 + furthest(control));
  return { ...figure, verdict, note: why };
}

function read(
  comparison: ComparisonResult | undefined,
  { side, against, metric }: Question,
): { value: Estimate | null; note: string | null } {
  const contrast = findContrast(comparison, side, against);
  const value = contrast?.[metric] ?? null;
  const why = () => contrast?.notWarm ?? whyMissing(comparison, [side, against]);
  return { value, note: value === null ? why() : null };
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
  if (known.length > 0) return known.map(({ name, why }) => `${name} was not measured: ${why}`).join(" ");
  return "Too little was measured, or the system does not report it. More time (--time) gives more.";
}

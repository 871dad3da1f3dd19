import { type IntervalEnds, percent, type RatioInterval } from "@evenbench/stats";

/** Writes the ends of a ratio's interval as changes in percent: "−12 to +23 %". */
export function boundWords({ low, high }: IntervalEnds): string {
  return `${signedAmount(low)} to ${signedAmount(high)} %`;
}

/**
 * Writes a ratio's change with its interval, in words: "12 % more, 9 to 16 %"; where its interval has both signs:
 * "−2 to +1 %".
 */
export function amountWords({ estimate, low, high }: RatioInterval): string {
  if (low > 1) {
    return `${unsignedAmount(estimate)} % more, ${unsignedAmount(low)} to ${unsignedAmount(high)} %`;
  }
  if (high < 1) {
    return `${unsignedAmount(estimate)} % less, ${unsignedAmount(high)} to ${unsignedAmount(low)} %`;
  }
  return boundWords({ low, high });
}

/** Writes the size of a ratio's change in percent, without unit and sign: "12", "0.3". */
function unsignedAmount(ratio: number): string {
  return percent(Math.abs(ratio - 1)).replace(" %", "");
}

/** Writes a ratio's change in percent, without the unit: "−12", "0". */
function signedAmount(ratio: number): string {
  const size = unsignedAmount(ratio);
  if (size === "0") {
    return size;
  }
  return `${ratio < 1 ? "−" : "+"}${size}`;
}

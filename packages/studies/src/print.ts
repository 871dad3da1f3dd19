import type { RatioInterval } from "@evenbench/stats";

export function row(what: string, value: string): void {
  console.log(`${what.padEnd(56)} ${value}`);
}

export function inWords(ratio: RatioInterval | null): string {
  if (ratio === null) return "-";
  const [estimate, low, high] = [ratio.estimate, ratio.low, ratio.high].map((one) => one.toFixed(3));
  return `${estimate} (${low}-${high})`;
}

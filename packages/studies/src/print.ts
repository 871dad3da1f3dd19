import { quantile } from "@evenbench/stats";

export function row(what: string, value: string): void {
  console.log(`${what.padEnd(56)} ${value}`);
}

export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}

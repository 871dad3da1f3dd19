import { parseCondition } from "@evenbench/load/condition";
import type { LatencyCondition } from "@evenbench/results";
import { InvalidArgumentError } from "commander";

const MOST_AT_A_TIME = 1024;
const MOST_PER_SECOND = 100_000;

export function parseConcurrency(text: string): readonly number[] {
  const range = /^(\d+)\.\.(\d+)$/.exec(text);
  const levels = range === null ? text.split(",").map(Number) : doubled(Number(range[1]), Number(range[2]));
  const valid = levels.every((one) => Number.isInteger(one) && one >= 1 && one <= MOST_AT_A_TIME);
  if (!valid || levels.length === 0 || text === "")
    throw new InvalidArgumentError(`Give numbers from 1 to ${MOST_AT_A_TIME}, such as "1,2,4" or "1..32".`);
  return unique(levels);
}

/** Reads "20" or "10,20.5,40": requests per second. */
export function parseRates(text: string): readonly number[] {
  const rates = text.split(",").map(Number);
  if (!rates.every((one) => one > 0 && one <= MOST_PER_SECOND))
    throw new InvalidArgumentError(
      `Give rates above 0 and up to ${MOST_PER_SECOND} requests per second, such as "20" or "10,20,40".`,
    );
  return unique(rates);
}

export function parseLimit(text: string): LatencyCondition {
  const condition = parseCondition(text);
  if (condition === null)
    throw new InvalidArgumentError('Give a quantile and a limit, such as "p99 <= 250ms" or "p50 <= 1s".');
  return condition;
}

function doubled(from: number, to: number): number[] {
  const levels: number[] = [];
  for (let one = from; one >= 1 && one < to && one <= MOST_AT_A_TIME; one *= 2) levels.push(one);
  return from > to ? [] : [...levels, to];
}

function unique(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

import type { FailOn } from "@evenbench/report";
import { InvalidArgumentError } from "commander";

/** Of "slower 5%". @throws {InvalidArgumentError} for anything else. */
export function parseFailOn(text: string): FailOn {
  const match = /^(slower|faster)\s+(\d+(?:\.\d+)?)\s*%$/.exec(text.trim());
  if (match === null) throw new InvalidArgumentError('Give a verdict and a percentage, such as "slower 5%".');
  return { verdict: match[1] as FailOn["verdict"], by: Number(match[2]) / 100 };
}

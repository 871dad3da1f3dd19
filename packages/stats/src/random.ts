import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";

/** Draws a number from [0, 1). */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  const generator = mersenne(seed);
  return () => uniformFloat64(generator);
}

export function drawBelow(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

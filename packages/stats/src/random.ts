import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";

/** Draws a number from [0, 1), each with the same chance. */
export type Random = () => number;

/** Makes a source of random numbers (Mersenne Twister) that gives the same series for the same seed. */
export function seededRandom(seed: number): Random {
  const generator = mersenne(seed);
  return () => uniformFloat64(generator);
}

/** Draws a whole number from 0 up to, and without, `bound`. */
export function drawBelow(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

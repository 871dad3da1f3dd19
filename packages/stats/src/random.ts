/** Draws a number from [0, 1), 32 bits fine. */
export type Random = () => number;

/**
 * A seeded generator: xoshiro128** 1.1 (Blackman & Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021), its
 * state filled by splitmix32 so that neighbouring seeds give unrelated sequences.
 */
export function seededRandom(seed: number): Random {
  let mixed = seed | 0;
  const splitmix = (): number => {
    mixed = (mixed + 0x9e3779b9) | 0;
    let z = mixed ^ (mixed >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return z ^ (z >>> 15);
  };
  let a = splitmix();
  let b = splitmix();
  let c = splitmix();
  let d = splitmix();
  return () => {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return (result >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 to below `bound`. */
export function drawBelow(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

/** Draws a standard normal number (Box & Muller, 1958). */
export function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Draws a number from [0, 1), 32 bits fine. */
export type Random = () => number;

/** xoshiro128** 1.1 (Blackman & Vigna, 2021), of four 32-bit numbers, not all 0. */
export function xoshiro128(state: readonly [number, number, number, number]): () => number {
  let [a, b, c, d] = state;
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
    return result >>> 0;
  };
}

/** Its state is filled by a mixing function (Wellons, 2018), so that neighbouring seeds give unrelated sequences. */
export function seededRandom(seed: number): Random {
  let counter = seed | 0;
  const mix = (): number => {
    counter = (counter + 0x9e3779b9) | 0;
    let mixed = counter ^ (counter >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  const bits = xoshiro128([mix(), mix(), mix(), mix()]);
  return () => bits() / 2 ** 32;
}

export function drawBelow(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

/**
 * Random orders of a round, from a seed: every call gives all items once, in an order of its own (randomised multiple
 * interleaved trials: Abedi & Brecht, ICPE 2017). The same items and seed give the same orders.
 *
 * @param seed an integer from 0 to 2^32 - 1.
 */
export function interleave<T>(items: readonly T[], seed: number): () => T[] {
  const random = mulberry32(seed);
  return () => {
    const order = [...items];
    // Fisher-Yates, as in Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2P.
    for (let last = order.length - 1; last > 0; last--) {
      const chosen = Math.floor(random() * (last + 1));
      [order[last], order[chosen]] = [order[chosen] as T, order[last] as T];
    }
    return order;
  };
}

/** Tommy Ettinger's mulberry32 (public domain): 32 bits of state, enough for orders of a few items. From 0 to below 1. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

import { drawBelow, seededRandom } from "@evenbench/stats/random";

/** Random orders of a round (randomised multiple interleaved trials: Abedi & Brecht, ICPE 2017). */
export function interleave<T>(items: readonly T[], seed: number): () => T[] {
  const random = seededRandom(seed);
  return () => {
    const order = [...items];
    // Fisher-Yates, as in Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2P.
    for (let last = order.length - 1; last > 0; last--) {
      const chosen = drawBelow(random, last + 1);
      [order[last], order[chosen]] = [order[chosen] as T, order[last] as T];
    }
    return order;
  };
}

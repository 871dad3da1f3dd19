/** Counts, and allocates nothing. */
export function burn(): number {
  let sum = 0;
  for (let index = 1; index < 2_000_000; index++) sum += Math.sqrt(index) % 7;
  return sum;
}

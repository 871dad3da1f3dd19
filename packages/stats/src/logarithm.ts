/** An account can say 0 of a request whose CPU time it books with the next one. Milliseconds. */
const LEAST_MS = 0.01;

/** Of a time; of one below a hundredth of a millisecond, that of a hundredth. */
export function logMs(ms: number): number {
  return Math.log(Math.max(ms, LEAST_MS));
}

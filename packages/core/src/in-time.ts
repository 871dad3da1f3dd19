import { createContext, Script } from "node:vm";

/** V8 interrupts a regular expression at the time limit of a script, and nowhere else. */
const place: { work: () => unknown } = createContext({ work: () => undefined }) as never;
const script = new Script("work()");

/** Most times as long as asked that work gets on a busy machine. */
const MOST_TIMES = 8;
/** Microseconds on a core in a millisecond of work that is not held up: half of it. */
const BUSY_US_PER_MS = 500;

/**
 * Does synchronous work on a pattern of somebody's, which may backtrack without an end. On a busy machine, which gives it
 * less than half of a core, it is done anew with twice the time.
 *
 * @throws {Error} what `late` makes, where it took more than `withinMs` milliseconds.
 */
export function inTime<T>(withinMs: number, work: () => T, late: () => Error): T {
  const outer = place.work;
  place.work = work;
  try {
    for (let limitMs = withinMs; limitMs <= MOST_TIMES * withinMs; limitMs *= 2) {
      const before = process.threadCpuUsage();
      try {
        return script.runInContext(place as never, { timeout: limitMs });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") {
          throw error;
        }
      }
      const { user, system } = process.threadCpuUsage(before);
      if (user + system >= BUSY_US_PER_MS * withinMs) {
        break;
      }
    }
    throw late();
  } finally {
    place.work = outer;
  }
}

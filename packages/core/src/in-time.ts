import { createContext, Script } from "node:vm";

/** V8 interrupts a regular expression at the time limit of a script, and nowhere else. */
const place: { work: () => unknown } = createContext({ work: () => undefined }) as never;
const script = new Script("work()");

/**
 * Does synchronous work on a pattern of somebody's, which may backtrack without an end.
 *
 * @throws {Error} what `late` makes, where it took more than `withinMs` milliseconds.
 */
export function inTime<T>(withinMs: number, work: () => T, late: () => Error): T {
  const outer = place.work;
  place.work = work;
  try {
    return script.runInContext(place as never, { timeout: withinMs });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? late() : error;
  } finally {
    place.work = outer;
  }
}

import { messageOf } from "@evenbench/core";
import { type Exit, ExitCode } from "./exit.ts";
import { sayAside } from "./say.ts";

/** A signal to a group of processes comes twice: by itself, and passed on by the process above. Milliseconds. */
const SAME_SIGNAL_WITHIN_MS = 1000;

/**
 * A signal that aborts at the first Ctrl-C (or SIGTERM), with time to save; a second one, a second later or
 * more, ends the process at once.
 *
 * @param words what is said then.
 */
export function interruptible(words = "Stopping; what was measured is kept."): AbortSignal {
  const controller = new AbortController();
  let firstAt = Number.NEGATIVE_INFINITY;
  const onSignal = (): void => {
    if (performance.now() - firstAt < SAME_SIGNAL_WITHIN_MS) return;
    if (controller.signal.aborted) process.exit(ExitCode.interrupted);
    firstAt = performance.now();
    sayAside(`\n${words} (Once more to quit at once.)`);
    controller.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return controller.signal;
}

/**
 * Does work that can be interrupted and repeated. Where it fails after Ctrl-C, one line says what was cut off
 * and what to do next.
 */
export async function untilInterrupted(
  exit: Exit,
  next: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const signal = interruptible("Stopping.");
  try {
    await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    sayAside(`evenbench: ${messageOf(error)} ${next}`);
    exit.code = ExitCode.interrupted;
  }
}

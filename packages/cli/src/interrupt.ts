import { ExitCode } from "./exit.ts";

/**
 * A signal that aborts at the first Ctrl-C (or SIGTERM), with time to save; a second one ends the process at once.
 *
 * @param words what is said then.
 */
export function interruptible(words = "Stopping; what was measured is kept."): AbortSignal {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(ExitCode.interrupted);
    console.error(`\n${words} (Once more to quit at once.)`);
    controller.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return controller.signal;
}

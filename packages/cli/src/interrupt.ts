import { ExitCode } from "./exit.ts";

/** A signal that aborts at the first Ctrl-C (or SIGTERM), with time to save; a second one ends the process at once. */
export function interruptible(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(ExitCode.interrupted);
    console.error("\nStopping; what was measured is kept. (Once more to quit at once.)");
    controller.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return controller.signal;
}

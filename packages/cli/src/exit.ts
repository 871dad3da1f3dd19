import { messageOf, UserError } from "@evenbench/core/basics";
import { sayAside } from "./say.ts";

/** `undecided`: a condition of --fail-on is neither met nor ruled out. */
export const ExitCode = { done: 0, failed: 1, usage: 2, undecided: 3, interrupted: 130 } as const;

export const exit: { code: number } = { code: ExitCode.done };

/** A signal to a group of processes comes twice: by itself, and passed on by the process above. */
const SAME_SIGNAL_WITHIN_MS = 1000;

/** Aborts at the first Ctrl-C (or SIGTERM), with time to save; a second one ends the process at once. */
export function interruptible(words = "Stopping; what was measured is kept."): AbortSignal {
  const controller = new AbortController();
  let firstAt = Number.NEGATIVE_INFINITY;
  const onSignal = (): void => {
    if (performance.now() - firstAt < SAME_SIGNAL_WITHIN_MS) return;
    if (controller.signal.aborted) process.exit(ExitCode.interrupted);
    firstAt = performance.now();
    sayAside(`\n${words} (Ctrl-C again quits at once.)`);
    controller.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return controller.signal;
}

export class Interrupted extends UserError {}

/**
 * Work that Ctrl-C (or SIGTERM) ends has not failed, and nothing goes on after it.
 *
 * @param work gets a signal that aborts then.
 * @throws {Interrupted} with `message`, once the work has ended.
 */
export async function orInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
  message: string,
): Promise<T> {
  const controller = new AbortController();
  const onSignal = (): void => controller.abort();
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    const ended = await work(controller.signal);
    if (!controller.signal.aborted) return ended;
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
  throw new Interrupted(message);
}

/** Where work that can be repeated fails after Ctrl-C, one line says what was cut off and what is next. */
export async function untilInterrupted(
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

/** Goes on where output cannot be written, as behind `| head` or on a full disk. */
export function surviveClosedPipes(): void {
  // Whoever closes it wants no messages.
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.stderr.write(
      `evenbench: the output cannot be written (${error.code}). Files are still written.\n`,
    );
    process.once("exit", () => {
      process.exitCode ||= ExitCode.failed;
    });
  });
}

/** SIGKILL of what started this process cannot be passed on, and servers would be left: its channel closes then. */
export function endWithParent(): void {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}

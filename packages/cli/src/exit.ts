import { IN_CLONE } from "@evenbench/core/called";
import { reasonOf, UserError, withQuotes } from "@evenbench/core/errors";
import { sayNote } from "./say.ts";

const INTERRUPTING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type InterruptingSignal = (typeof INTERRUPTING_SIGNALS)[number];

/** True where the terminal of this process was closed, or its ssh lost. */
let isHungUp = false;

/** The exit codes of all commands. */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A condition of --fail-on is neither met nor ruled out. */
  undecided: 3,
  /** 128 and the number of the signal, as shells count: SIGHUP has 1. SIGTERM counts as Ctrl-C. */
  get interrupted(): number {
    return isHungUp ? 129 : 130;
  },
};

/** The exit code of the command that runs. Commands set it, and `main` returns it. */
export const exit: { code: number } = { code: ExitCode.done };

/** SIGINTs of one press of Ctrl-C: the terminal's, and npm's own where it starts this process without a clone's door. */
const SIGNALS_OF_A_PRESS = !IN_CLONE && process.env.npm_config_user_agent?.startsWith("npm/") ? 2 : 1;

/**
 * Makes a signal that aborts at the first Ctrl-C, SIGTERM or SIGHUP (a closed terminal), with time to save. A second
 * Ctrl-C ends the process at once; a SIGTERM does not, since processes above pass the same event on.
 */
export function interruptible(words = "Stopping; what was measured is kept."): AbortSignal {
  return listenForInterrupts(words).signal;
}

function listenForInterrupts(words: string): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let interrupts = 0;
  let isPressed = false;
  const stop = onInterruptingSignal((name) => {
    const isFirst = !controller.signal.aborted;
    isPressed ||= isFirst && name === "SIGINT";
    interrupts += Number(name === "SIGINT");
    if (isFirst) {
      sayNote(`\n${words} (Ctrl-C again quits at once.)`);
      controller.abort();
    } else if (interrupts > (isPressed ? SIGNALS_OF_A_PRESS : 0)) {
      process.exit(ExitCode.interrupted);
    }
  });
  return { signal: controller.signal, stop };
}

/** Listens to signals. @returns a function that ends it. */
function onInterruptingSignal(listener: (name: InterruptingSignal) => void): () => void {
  const onSignal = (name: NodeJS.Signals): void => {
    isHungUp ||= name === "SIGHUP";
    listener(name as InterruptingSignal);
  };
  for (const name of INTERRUPTING_SIGNALS) {
    process.on(name, onSignal);
  }
  return () => {
    for (const name of INTERRUPTING_SIGNALS) {
      process.off(name, onSignal);
    }
  };
}

/** An error that ends a command whose work was interrupted: the exit code is then `ExitCode.interrupted`. */
export class Interrupted extends UserError {}

/**
 * Does work that Ctrl-C, SIGTERM or SIGHUP ends: then it has not failed, and nothing goes on after it.
 *
 * @param work gets a signal that aborts then.
 * @throws {Interrupted} with `message`, once the work has ended.
 */
export async function orInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
  message: string,
): Promise<T> {
  const { signal, stop } = listenForInterrupts("Stopping.");
  try {
    const ended = await work(signal);
    if (!signal.aborted) {
      return ended;
    }
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  } finally {
    stop();
  }
  throw new Interrupted(message);
}

/** Runs work that can be repeated. Where it fails after Ctrl-C, one line says what is next. */
export async function untilInterrupted(
  next: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const signal = interruptible("Stopping.");
  try {
    await work(signal);
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    const { message, quotes } = reasonOf(error);
    sayNote(`evenbench: ${withQuotes({ message: `${message} ${next}`, quotes })}`);
    exit.code = ExitCode.interrupted;
  }
}

/** Goes on where output cannot be written, as behind `| head` or on a full disk. */
export function surviveClosedPipes(): void {
  // Whoever closes it wants no messages.
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || isHungUp) {
      return;
    }
    process.stderr.write(
      `evenbench: the output cannot be written (${error.code}). Files are still written.\n`,
    );
    process.once("exit", () => {
      process.exitCode ||= ExitCode.failed;
    });
  });
}

/** Ends this process where its parent has ended: SIGKILL is not passed on, but the channel between them closes. */
export function endWithParent(): void {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}

import { type ChildProcess, spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { formatDuration } from "@evenbench/core";
import { endTree, sendSignal } from "./process-tree.ts";

/** A program, and how it is run. */
export interface Program {
  /** The program, a path or a name in PATH, and its arguments. */
  readonly command: readonly [file: string, ...args: string[]];
  /** The folder that it works in. Default: this process's own. */
  readonly cwd?: string;
  /** Variables that are added to this process's own. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The text that it reads from stdin. Default: none. */
  readonly input?: string | undefined;
  /** True where its stdin stays open until it ends. Default: it is closed behind the input. */
  readonly holdsInput?: boolean;
  /** The file that takes its stderr. */
  readonly log?: string | undefined;
  /** Ends it, with all below it, when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which it is ended, with all below it. Default: it takes what it takes. */
  readonly withinMs?: number | undefined;
  /** Is called once with its process id. */
  onStart?(pid: number): void;
  /** Is called with what it writes, whenever it writes something. */
  onOutput?(text: string): void;
}

/** The end of a program. */
export interface EndedProgram {
  /**
   * The fault, in words that go behind the name of the program: "ended with exit code 1". null after exit
   * code 0.
   */
  readonly failure: string | null;
  /** The program's exit code; null where a signal ended it, or it could not be started. */
  readonly code: number | null;
  /** All that the program wrote to stdout. */
  readonly stdout: string;
  /**
   * Everything that the program wrote to stdout and stderr, as it came; without stderr where a log takes
   * that.
   */
  readonly output: string;
}

/**
 * Runs a program until it exits. Its process tree is killed when `signal` aborts, its time is over, or this
 * process ends. What it left behind in its group when it exited is killed, too: build tools have left servers.
 */
export async function runProgram(program: Program): Promise<EndedProgram> {
  const { command, cwd, env, input, holdsInput = false, log, signal, withinMs, onStart, onOutput } = program;
  const [file, ...args] = command;
  await using logHandle = log === undefined ? null : await open(log, "w");
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", logHandle?.fd ?? "pipe"],
    // At the head of a group, by which it is ended where the system does not say what is below it.
    detached: process.platform !== "win32",
  });
  const { pid, stdin, stdout, stderr } = child;
  await using watched = pid === undefined ? null : endWithThis(pid, signal);
  let isLate = false;
  let late: NodeJS.Timeout | undefined;
  if (withinMs !== undefined) {
    late = setTimeout(() => {
      isLate = true;
      watched?.end();
    }, withinMs);
  }
  if (pid !== undefined) {
    onStart?.(pid);
  }
  const written: Buffer[] = [];
  const output: Buffer[] = [];
  stdout?.on("data", (chunk: Buffer) => written.push(chunk));
  for (const stream of [stdout, stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output.push(chunk);
      onOutput?.(chunk.toString());
    });
  }
  // A program that ends without reading its input says by its exit code what was wrong.
  stdin?.once("error", () => {});
  stdin?.write(input ?? "");
  if (!holdsInput) {
    stdin?.end();
  }
  const { failure, code } = await endOf(child);
  clearTimeout(late);
  return {
    failure: isLate ? `did not end within ${formatDuration(withinMs ?? 0)}, and was ended` : failure,
    code,
    stdout: Buffer.concat(written).toString(),
    output: Buffer.concat(output).toString(),
  };
}

/** Waits for the end of a process, and of all that it writes. */
function endOf(child: ChildProcess): Promise<Pick<EndedProgram, "failure" | "code">> {
  return new Promise((resolve) => {
    child.once("error", ({ message }) =>
      resolve({ failure: `could not be started: ${message}`, code: null }),
    );
    child.once("close", (code, ending) => {
      resolve({ failure: code === 0 ? null : `ended with ${ending ?? `exit code ${code}`}`, code });
    });
  });
}

/** Signals that end this process. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ends a process tree with this process: a terminal's Ctrl-C does not reach the head of another group by itself. */
function endWithThis(pid: number, signal: AbortSignal | undefined): AsyncDisposable & { end(): void } {
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= endTree(pid);
  };
  const kill = () => void sendSignal(process.platform === "win32" ? pid : -pid, "SIGKILL");
  for (const name of SIGNALS) {
    process.on(name, end);
  }
  process.on("exit", kill);
  signal?.addEventListener("abort", end);
  if (signal?.aborted) {
    end();
  }
  return {
    end,
    async [Symbol.asyncDispose]() {
      for (const name of SIGNALS) {
        process.off(name, end);
      }
      process.off("exit", kill);
      signal?.removeEventListener("abort", end);
      await ending;
      kill();
    },
  };
}

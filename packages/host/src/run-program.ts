import { once } from "node:events";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { formatDuration } from "@evenbench/core";
import { leftOut } from "./bound-log.ts";
import { toolEnvironment } from "./environment.ts";
import type { CommandEnd } from "./protocol.ts";
import { superviseCommand } from "./supervised.ts";

/** A program, and how it is run. */
export interface Program {
  /** The program, a path or a name in PATH, and its arguments. */
  readonly command: readonly [file: string, ...args: string[]];
  /** The folder that it works in. Default: this process's own. */
  readonly cwd?: string;
  /** All variables that it gets. Default: those of `toolEnvironment`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The text that it reads from stdin. Default: none. */
  readonly input?: string | undefined;
  /** True where its stdin stays open until it ends. Default: it is closed behind the input. */
  readonly holdsInput?: boolean;
  /** The file that takes its stderr. */
  readonly log?: string | undefined;
  /** Ends it, with all that it started, when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which it is ended, with all that it started. Default: it takes what it takes. */
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
  /** What the program wrote to stdout; of more than 48 MB the head and the tail. */
  readonly stdout: string;
  /**
   * What the program wrote to stdout and stderr, as it came, and bounded in the same way; without stderr where a log
   * takes that.
   */
  readonly output: string;
}

/** Bytes of each of the parts of an output that are kept. */
const PART_BYTES = 16 * 1024 ** 2;

/** What a program writes. A program may write for ever: the first part is kept, and the last two. */
class KeptOutput {
  readonly #parts: Buffer[][] = [[]];
  #bytes = 0;
  #leftOutBytes = 0;

  push(chunk: Buffer): void {
    if (this.#bytes >= PART_BYTES) {
      this.#parts.push([]);
      this.#bytes = 0;
    }
    if (this.#parts.length > 3) {
      const [dropped = []] = this.#parts.splice(1, 1);
      this.#leftOutBytes += dropped.reduce((sum, { length }) => sum + length, 0);
    }
    this.#parts.at(-1)?.push(chunk);
    this.#bytes += chunk.length;
  }

  get text(): string {
    const [head = [], ...tail] = this.#parts;
    const note = this.#leftOutBytes > 0 ? leftOut(this.#leftOutBytes) : "";
    return Buffer.concat([...head, Buffer.from(note), ...tail.flat()]).toString();
  }
}

/** Milliseconds that a program has to end before it is killed. */
const PROGRAM_GRACE_MS = 5000;
/** Milliseconds within which the rest of an ended program's output is read, whoever else holds the pipe. */
const OUTPUT_WITHIN_MS = 1000;
/** Signals that end this process. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs a program until its process exits. It is ended, with all that it started, when `signal` aborts, its time is
 * over, or this process ends. What it left behind when it exited is killed, too: build tools have left servers.
 */
export async function runProgram(program: Program): Promise<EndedProgram> {
  const { command, cwd, env = toolEnvironment(), input, holdsInput = false, log } = program;
  const { signal, withinMs, onStart, onOutput } = program;
  const [file, ...args] = command;
  await using logHandle = log === undefined ? null : await open(log, "w");
  const running = superviseCommand(
    { file, args, env, cwd },
    {
      graceMs: PROGRAM_GRACE_MS,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", logHandle?.fd ?? "pipe"],
    },
  );
  const { supervisor } = running;
  const { stdin, stdout, stderr } = supervisor;
  const closed = once(supervisor, "close");
  const stop = (): void => void running.stop();
  // A terminal's Ctrl-C does not reach the head of another group by itself.
  for (const name of SIGNALS) {
    process.on(name, stop);
  }
  signal?.addEventListener("abort", stop);
  let isLate = false;
  let late: NodeJS.Timeout | undefined;
  if (withinMs !== undefined) {
    late = setTimeout(() => {
      isLate = true;
      stop();
    }, withinMs);
  }
  void running.known.then(() => running.serving.map((pid) => onStart?.(pid)));
  const written = new KeptOutput();
  const output = new KeptOutput();
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
  if (signal?.aborted) {
    stop();
  }
  const end = await running.ended;
  await Promise.race([closed, delay(OUTPUT_WITHIN_MS, undefined, { ref: false })]);
  stdout?.destroy();
  stderr?.destroy();
  clearTimeout(late);
  signal?.removeEventListener("abort", stop);
  for (const name of SIGNALS) {
    process.off(name, stop);
  }
  return {
    failure: isLate ? `did not end within ${formatDuration(withinMs ?? 0)}, and was ended` : failureOf(end),
    code: end.code,
    stdout: written.text,
    output: output.text,
  };
}

/** Says what was wrong with how a program ended; null where nothing was. */
function failureOf({ code, signal, error }: CommandEnd): string | null {
  if (error !== null) {
    return `could not be started: ${error}`;
  }
  return code === 0 ? null : `ended with ${signal ?? `exit code ${code}`}`;
}

import { spawn } from "node:child_process";
import { addAbortListener, once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "@evenbench/core";
import { confinedCommand } from "../cores.ts";

/**
 * The program of a helper process. For each line of its input it writes how long a fixed piece of work takes,
 * in milliseconds: the median of five pieces, since one may be interrupted. It ends with its input, and so
 * with the process that asks.
 */
const HELPER_PROGRAM = `
  const piece = () => {
    const begun = performance.now();
    let sum = 0;
    for (let index = 0; index < 6000; index++) {
      sum += Math.sin(index);
    }
    return sum > 6000 ? 0 : performance.now() - begun;
  };
  for (let warmUp = 0; warmUp < 200; warmUp++) {
    piece();
  }
  process.stdin.on("data", () => {
    const pieces = Array.from({ length: 5 }, piece).sort((a, b) => a - b);
    process.stdout.write(pieces[2] + "\\n");
  });
  process.stdin.on("end", () => process.exit());
  process.stdout.on("error", () => process.exit());
`;

/**
 * A helper that has not answered after this time stands still, in milliseconds: an answer takes
 * about one, of which five pieces of 0.1 are the work.
 */
const ANSWER_WITHIN_MS = 2000;
/** The first answer of a helper may take this long, in milliseconds: Node.js has to start first. */
const START_WITHIN_MS = 10_000;
/** Number of helpers that a gauge starts at most: each takes about 40 MB of memory. */
const MAX_HELPERS = 16;

/** Measures how fast cores are. `CoreGauge` is the only one outside of tests. */
export interface Gauge {
  /** Gets ready to measure a core. Takes up to seconds: call it between rounds. */
  prepare(core: number): Promise<void>;
  /**
   * Resolves to the time that a fixed loop takes on the core, in milliseconds; null where it cannot be
   * measured.
   */
  on(core: number): Promise<number | null>;
}

/** Options of a gauge. */
export interface CoreGaugeOptions {
  /** When it aborts, questions that wait are answered by null. */
  readonly signal?: AbortSignal | undefined;
  /** Is called once, with a sentence, when a helper ends or stands still: from then on no core is gauged. */
  onEnd?(reason: string): void;
}

/**
 * Measures how fast a core is just now, by a fixed loop on it: other machines on the same hardware slow it
 * down, for tenths of a second or for seconds. Each core has a helper process, which `prepare` starts.
 */
export class CoreGauge implements Gauge {
  readonly #options: CoreGaugeOptions;
  /** Helpers by number of their core; null where none could be started. */
  readonly #helpers = new Map<number, Helper | null>();
  #hasEnded = false;

  constructor(options: CoreGaugeOptions = {}) {
    this.#options = options;
  }

  /**
   * Starts the helper of a core, if it has none yet and the limit of 16 helpers is not reached. Call it
   * between rounds.
   */
  async prepare(core: number): Promise<void> {
    if (this.#isOver || this.#helpers.has(core) || this.#helpers.size >= MAX_HELPERS) {
      return;
    }
    const helper = new Helper(core);
    this.#helpers.set(core, helper);
    const first = await helper.ask(START_WITHIN_MS, this.#options.signal);
    if (typeof first === "number" || this.#isOver) {
      return;
    }
    await helper.stop();
    this.#helpers.set(core, null);
  }

  /**
   * Resolves to the time that the loop takes on the core, in milliseconds; null where the core has no helper
   * that answers. Ask one question at a time.
   */
  async on(core: number): Promise<number | null> {
    const helper = this.#helpers.get(core) ?? null;
    if (helper === null || this.#isOver) {
      return null;
    }
    const answer = await helper.ask(ANSWER_WITHIN_MS, this.#options.signal);
    if (typeof answer === "number") {
      return answer;
    }
    if (this.#isOver) {
      return null;
    }
    this.#hasEnded = true;
    this.#options.onEnd?.(`The helper that gauges core ${core} ${answer}.`);
    await this[Symbol.asyncDispose]();
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const helpers = [...this.#helpers.values()].filter((helper) => helper !== null);
    await Promise.all(helpers.map((helper) => helper.stop()));
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.#options.signal?.aborted === true;
  }
}

/** The helper process of one core. */
class Helper {
  readonly #child;
  readonly #lines;
  readonly #closed: Promise<unknown>;
  readonly #kill = (): void => {
    // SIGKILL ends a stopped process, too.
    this.#child.kill("SIGKILL");
  };

  constructor(core: number) {
    const command = { file: process.execPath, args: ["-e", HELPER_PROGRAM], env: {} };
    const { file, args } = confinedCommand(command, String(core));
    this.#child = spawn(file, args, {
      env: { ...process.env, NODE_OPTIONS: "" },
      stdio: ["pipe", "pipe", "ignore"],
      // A terminal's Ctrl-C is for the process that asks, which ends its helpers then.
      detached: true,
    });
    this.#closed = once(this.#child, "close").catch(() => {});
    // An input that cannot be written to is that of a helper that has ended: then there is no answer.
    this.#child.stdin?.on("error", () => {});
    this.#lines = this.#child.stdout
      ? createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
      : null;
    process.on("exit", this.#kill);
  }

  /**
   * Resolves to the answer in milliseconds, or to the reason why there is none, as the rest of a sentence.
   */
  async ask(withinMs: number, signal: AbortSignal | undefined): Promise<number | string> {
    if (this.#lines === null) {
      return "could not be started";
    }
    const over = new AbortController();
    using _aborted = signal && addAbortListener(signal, () => over.abort());
    this.#child.stdin?.write("\n");
    const line = this.#lines.next().then(
      ({ value, done }) => (done ? "ended" : Number(value)),
      (error: unknown) => messageOf(error),
    );
    // In two halves: if this process itself stood still, the answer has come meanwhile, and is read in
    // between.
    const late = delay(withinMs / 2, undefined, { signal: over.signal })
      .then(() => delay(withinMs / 2, undefined, { signal: over.signal }))
      .then(
        () => `has not answered for ${withinMs / 1000} s`,
        () => "was not waited for",
      );
    const answer = await Promise.race([line, late]);
    over.abort();
    return answer;
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    process.off("exit", this.#kill);
    this.#kill();
    await this.#closed;
  }
}

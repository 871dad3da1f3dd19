import type { ServingMessage } from "./protocol.ts";

/** Milliseconds from the end of a worker to the start of the one that replaces it. */
const REPLACED_AFTER_MS = 100;
/** Number of starts in a row that failed after which no further worker is started. */
const FAILED_STARTS = 3;

/** The events of a worker, which its starter reports. */
interface WorkerEvents {
  /** The worker takes connections. */
  listening(): void;
  /** The worker has ended. @param how such as "SIGKILL" or "exit code 1". */
  ended(how: string): void;
}

/** A worker process, as `child_process` and `cluster` have it. */
interface Worker {
  readonly pid?: number | undefined;
}

/**
 * Keeps a number of workers up: replaces those that die, and reports the pids that serve on the IPC channel. It ends
 * this process behind its workers at SIGTERM, when its parent is gone, and when workers do not start.
 *
 * @param wanted number of workers.
 * @param start starts a worker, which reports what happens to it.
 */
export function keepWorkers(wanted: number, start: (events: WorkerEvents) => Worker): void {
  const pool = new WorkerPool(wanted, start);
  process.on("SIGTERM", () => pool.stop());
  // Without a supervisor there is nobody to serve for; the workers end when this process does.
  process.on("disconnect", () => process.exit(0));
  pool.fill();
}

/** The workers of this process. */
class WorkerPool {
  readonly #wanted: number;
  readonly #start: (events: WorkerEvents) => Worker;
  readonly #workers = new Set<Worker>();
  /** The workers that listen. */
  readonly #serving = new Set<Worker>();
  /** True from the first moment on at which all workers listened: nothing is reported before. */
  #wasComplete = false;
  /** Number of starts in a row that failed. */
  #failedStarts = 0;
  #isStopping = false;

  constructor(wanted: number, start: (events: WorkerEvents) => Worker) {
    this.#wanted = wanted;
    this.#start = start;
  }

  fill(): void {
    for (let index = 0; index < this.#wanted; index++) {
      this.#startWorker();
    }
  }

  /** Ends this process when the workers have ended. A supervisor tells them itself: who is told twice leaves its work. */
  stop(): void {
    this.#isStopping = true;
    this.#exitWhenEmpty();
  }

  #startWorker(): void {
    if (this.#isStopping) {
      return;
    }
    const worker = this.#start({
      listening: () => this.#noteListening(worker),
      ended: (how) => this.#noteEnd(worker, how),
    });
    this.#workers.add(worker);
  }

  #noteListening(worker: Worker): void {
    this.#serving.add(worker);
    this.#failedStarts = 0;
    this.#wasComplete ||= this.#serving.size === this.#wanted;
    this.#report();
  }

  #noteEnd(worker: Worker, how: string): void {
    this.#workers.delete(worker);
    if (!this.#serving.delete(worker)) {
      this.#failedStarts++;
    }
    this.#report();
    if (this.#isStopping) {
      this.#exitWhenEmpty();
      return;
    }
    if (this.#failedStarts === FAILED_STARTS) {
      console.error(`evenbench: ${FAILED_STARTS} workers in a row ended before they listened; giving up`);
      process.exit(1);
    }
    console.error(`evenbench: worker ${worker.pid} ended (${how}); replaced in ${REPLACED_AFTER_MS} ms`);
    setTimeout(() => this.#startWorker(), REPLACED_AFTER_MS);
  }

  /** Reports the pids that serve to this process's parent. */
  #report(): void {
    if (!this.#wasComplete || !process.connected) {
      return;
    }
    const pids = [...this.#serving].flatMap(({ pid }) => pid ?? []);
    process.send?.({ serving: pids } satisfies ServingMessage);
  }

  #exitWhenEmpty(): void {
    if (this.#workers.size === 0) {
      process.exit(0);
    }
  }
}

import type { ServingMessage } from "./protocol.ts";

/** Milliseconds from the end of a worker to the start of the one that replaces it. */
const REPLACED_AFTER_MS = 100;
/** Number of starts in a row that failed after which no further worker is started. */
const FAILED_STARTS = 3;

/** The events of a worker, which its starter reports. */
interface WorkerEvents {
  listening(): void;
  /** @param how such as "SIGKILL" or "exit code 1". */
  ended(how: string): void;
}

/** A worker process, as `child_process` and `cluster` have it. */
interface Worker {
  readonly pid?: number | undefined;
  kill(signal: NodeJS.Signals): boolean;
}

/** Keeps a number of workers up: replaces those that die, and reports the pids that serve on the IPC channel. */
export function keepWorkers(wanted: number, start: (events: WorkerEvents) => Worker): void {
  const workers = new Set<Worker>();
  const serving = new Set<Worker>();
  let complete = false;
  let failedStarts = 0;
  let stopping = false;

  process.on("SIGTERM", () => {
    stopping = true;
    for (const worker of workers) {
      worker.kill("SIGTERM");
    }
    exitWhenEmpty();
  });
  // Without a supervisor there is nobody to serve for; the workers end when this process does.
  process.on("disconnect", () => process.exit(0));
  for (let index = 0; index < wanted; index++) {
    startWorker();
  }

  function startWorker(): void {
    if (stopping) {
      return;
    }
    const worker = start({
      listening() {
        serving.add(worker);
        failedStarts = 0;
        complete ||= serving.size === wanted;
        report();
      },
      ended(how) {
        workers.delete(worker);
        if (!serving.delete(worker)) {
          failedStarts++;
        }
        report();
        if (stopping) {
          return exitWhenEmpty();
        }
        if (failedStarts === FAILED_STARTS) {
          console.error(`evenbench: ${FAILED_STARTS} workers in a row ended before they listened; giving up`);
          process.exit(1);
        }
        console.error(`evenbench: worker ${worker.pid} ended (${how}); replaced in ${REPLACED_AFTER_MS} ms`);
        setTimeout(startWorker, REPLACED_AFTER_MS);
      },
    });
    workers.add(worker);
  }

  function report(): void {
    if (!complete || !process.connected) {
      return;
    }
    const pids = [...serving].flatMap(({ pid }) => pid ?? []);
    process.send?.({ serving: pids } satisfies ServingMessage);
  }

  function exitWhenEmpty(): void {
    if (workers.size === 0) {
      process.exit(0);
    }
  }
}

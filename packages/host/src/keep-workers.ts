import type { ServingMessage } from "./protocol.ts";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5000;
/** A worker that has served this long was healthy: its death starts the delays anew. */
const HEALTHY_MS = 10_000;
const FAILED_STARTS = 3;

interface WorkerEvents {
  listening(): void;
  ended(how: string): void;
}

interface Worker {
  readonly pid?: number | undefined;
  kill(signal: NodeJS.Signals): boolean;
}

/** Replaces workers that die, and reports the pids that serve on the IPC channel. */
export function keepWorkers(wanted: number, start: (events: WorkerEvents) => Worker): void {
  const workers = new Set<Worker>();
  const listeningSince = new Map<Worker, number>();
  let complete = false;
  let quickDeaths = 0;
  let failedStarts = 0;
  let stopping = false;

  process.on("SIGTERM", () => {
    stopping = true;
    for (const worker of workers) worker.kill("SIGTERM");
    exitWhenEmpty();
  });
  // Without a supervisor there is nobody to serve for; the workers end when this process does.
  process.on("disconnect", () => process.exit(0));
  for (let index = 0; index < wanted; index++) startOne();

  function startOne(): void {
    if (stopping) return;
    const worker = start({ listening: () => listening(worker), ended: (how) => ended(worker, how) });
    workers.add(worker);
  }

  function listening(worker: Worker): void {
    if (listeningSince.has(worker)) return;
    listeningSince.set(worker, Date.now());
    failedStarts = 0;
    if (listeningSince.size === wanted) complete = true;
    report();
  }

  function ended(worker: Worker, how: string): void {
    const since = listeningSince.get(worker);
    workers.delete(worker);
    listeningSince.delete(worker);
    report();
    if (stopping) {
      exitWhenEmpty();
      return;
    }
    if (since === undefined) failedStarts++;
    if (failedStarts === FAILED_STARTS) giveUp();
    quickDeaths = since !== undefined && Date.now() - since >= HEALTHY_MS ? 0 : quickDeaths + 1;
    const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, quickDeaths - 1));
    console.error(`evenbench: worker ${worker.pid} ended (${how}); replaced in ${delayMs} ms`);
    setTimeout(startOne, delayMs);
  }

  function report(): void {
    if (!complete || !process.connected) return;
    const serving = [...listeningSince.keys()].flatMap((worker) => worker.pid ?? []);
    process.send?.({ serving } satisfies ServingMessage);
  }

  function exitWhenEmpty(): void {
    if (workers.size === 0) process.exit(0);
  }
}

function giveUp(): never {
  console.error(`evenbench: ${FAILED_STARTS} workers in a row ended before they listened; giving up`);
  process.exit(1);
}

import { Worker } from "node:worker_threads";

/** Milliseconds that a file may take to load: far longer than any here takes on a busy machine. */
const LIMIT_MS = 60_000;

/** A watch over files that are loaded, which ends this process where one takes too long. */
export interface LoadingWatch extends Disposable {
  /** Begins the time of the next file. @param file as it is named to the user. */
  begin(file: string): void;
}

/**
 * Watches from a thread of its own whether files load in time: a loop at a file's top level holds up the
 * thread that loads it, and `import` cannot be called off. Where one does not end in time, the thread says so
 * and ends the process by SIGKILL, the one signal that such a loop cannot hold up.
 *
 * @param limitMs the longest time that one file may take. Default: a minute.
 */
export function watchLoading(limitMs: number = LIMIT_MS): LoadingWatch {
  const worker = new Worker(WATCHING, { eval: true, workerData: limitMs, execArgv: [] });
  worker.unref();
  // Messages wait for a thread that is still starting. One that cannot start watches nothing, which costs
  // only the watch.
  worker.on("error", () => {});
  return {
    begin: (file) => worker.postMessage(file),
    [Symbol.dispose]: () => void worker.terminate(),
  };
}

/** The program of the thread that watches. */
const WATCHING = `
const { writeSync } = require("node:fs");
const { parentPort, workerData: limitMs } = require("node:worker_threads");
let timer;
parentPort.on("message", (file) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const reason = "its top level did not end within " + limitMs / 1000 + " s";
    writeSync(2, "evenbench: " + file + " cannot be loaded: " + reason + ". Mend it, or move it away.\\n");
    process.kill(process.pid, "SIGKILL");
  }, limitMs);
});
`;

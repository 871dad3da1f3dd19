// The cluster's primary: `node primary.ts <server> <workers> [Node.js and V8 flags ...]`. It keeps that many workers of any server
// that listens on HOST and PORT of its environment, replaces those that die, and reports the pids that serve.
import cluster, { type Worker } from "node:cluster";
import type { ServingMessage } from "@evenbench/host";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5000;
/** A worker that has served this long was healthy: its death starts the delays anew. */
const HEALTHY_MS = 10_000;
/** So many workers in a row that never listened: the server cannot start at all. */
const FAILED_STARTS = 3;

const [server = "", count = "1", ...flags] = process.argv.slice(2);
const wanted = Number(count);
const listeningSince = new Map<Worker, number>();
let complete = false;
let quickDeaths = 0;
let failedStarts = 0;
let stopping = false;

// The primary's own; workers serve, and start as they would where they are deployed.
delete process.env.NODE_COMPILE_CACHE;
cluster.setupPrimary({ exec: server, args: [], execArgv: flags });
// Left alone, Node.js gives a worker the inspector port that follows the primary's, whatever its flags say.
const inspectPort = flags.map((flag) => /^--inspect=.*:(\d+)$/.exec(flag)?.[1]).find(Boolean);
if (inspectPort !== undefined) cluster.setupPrimary({ inspectPort: Number(inspectPort) });

cluster.on("listening", (worker) => {
  if (listeningSince.has(worker)) return;
  listeningSince.set(worker, Date.now());
  failedStarts = 0;
  if (listeningSince.size === wanted) complete = true;
  report();
});

cluster.on("exit", (worker, code, signal) => {
  const since = listeningSince.get(worker);
  listeningSince.delete(worker);
  report();
  if (stopping) {
    exitWhenEmpty();
    return;
  }
  if (since === undefined) failedStarts++;
  if (failedStarts === FAILED_STARTS) {
    console.error(`evenbench: ${FAILED_STARTS} workers in a row ended before they listened; giving up`);
    process.exit(1);
  }
  quickDeaths = since !== undefined && Date.now() - since >= HEALTHY_MS ? 0 : quickDeaths + 1;
  const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, quickDeaths - 1));
  console.error(
    `evenbench: worker ${worker.process.pid} ended (${signal ?? `exit code ${code}`}); replaced in ${delayMs} ms`,
  );
  setTimeout(fork, delayMs);
});

process.on("SIGTERM", () => {
  stopping = true;
  // A signal and no disconnect(): servers know what to do with it, and Node.js fails when both close one server.
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGTERM");
  exitWhenEmpty();
});
// Without a supervisor there is nobody to serve for; the workers end when this process does.
process.on("disconnect", () => process.exit(0));

for (let index = 0; index < wanted; index++) fork();

function fork(): void {
  if (!stopping) cluster.fork();
}

function report(): void {
  if (!complete || !process.connected) return;
  const serving = [...listeningSince.keys()].flatMap((worker) => worker.process.pid ?? []);
  process.send?.({ serving } satisfies ServingMessage);
}

function exitWhenEmpty(): void {
  if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(0);
}

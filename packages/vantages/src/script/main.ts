// What k6 runs. An iteration is one trial of one case; whatever an engine makes of `options`, no trial is played twice.
import { sleep } from "k6";
import type { Options } from "k6/options";
import { Client, PLAN } from "./client.ts";
import { Trial } from "./trial.ts";

const TRIALS = PLAN.trials * PLAN.cases.length;
/** An engine that repeats by duration waits here for its time to be over. */
const IDLE_S = 1;

export const options: Options = {
  scenarios: {
    vantage: {
      executor: "per-vu-iterations",
      // Must be as many as there are machines or pods: of fewer, k6 gives some of them none, and they end
      // with exit code 0.
      vus: Number(__ENV.EVENBENCH_CLIENTS || 1),
      iterations: TRIALS,
      maxDuration: "24h",
    },
  },
  // A trial has connections of its own, one for each target.
  noVUConnectionReuse: true,
  batchPerHost: 1,
};

let client: Client | null = null;
let played = 0;
let isOver = false;

export default function playNext(): void {
  if (isOver) {
    sleep(IDLE_S);
    return;
  }
  client ??= new Client();
  const planned = PLAN.cases[Math.floor(played / PLAN.trials)];
  const stopped = planned === undefined ? null : new Trial(client, planned, played % PLAN.trials).play();
  played += 1;
  isOver = stopped !== null || played >= TRIALS;
  if (isOver) client.end(stopped);
}

/** The engine's own summary says nothing that the log does not. */
export function handleSummary(): Record<string, string> {
  return {};
}

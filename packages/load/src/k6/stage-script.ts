// Parts of scripts for k6: no Node.js here.
import { ask, type Observed, observe, toMicroseconds } from "@evenbench/vantages/script";
import execution from "k6/execution";
import type { Scenario } from "k6/options";
import { type K6RequestLine, type K6StagePlan, OPEN_MS, RATE_UNIT_S } from "./stage-plan.ts";

/**
 * The two scenarios of a stage. A busy server takes new connections late, so they are opened before, as
 * our own client does.
 */
export function scenariosOf(stage: K6StagePlan, atMs: number): { open: Scenario; load: Scenario } {
  return {
    open: {
      executor: "per-vu-iterations",
      exec: "open",
      startTime: `${atMs}ms`,
      vus: stage.connections,
      iterations: 1,
      maxDuration: `${OPEN_MS}ms`,
      gracefulStop: "0s",
    },
    load: {
      executor: "constant-arrival-rate",
      exec: "load",
      startTime: `${atMs + OPEN_MS}ms`,
      rate: stage.rate,
      timeUnit: `${RATE_UNIT_S}s`,
      duration: `${stage.stageMs}ms`,
      // A virtual user is a connection. What is due while all are taken is not sent.
      preAllocatedVUs: stage.connections,
      maxVUs: stage.connections,
      // All that was sent gets its answer or its time-out.
      gracefulStop: `${stage.timeoutMs + 1000}ms`,
    },
  };
}

export function send({ origins, path, timeoutMs }: K6StagePlan, token = ""): ReturnType<typeof ask> {
  const origin = origins[connection() % origins.length];
  return ask(`${origin}${path}`, timeoutMs, token === "" ? {} : { authorization: `Bearer ${token}` });
}

export function sendTimed(
  stage: K6StagePlan,
  begin: () => void,
  token = "",
): (Omit<K6RequestLine, "evenbench"> & Pick<Observed, "protocol">) | null {
  const begunAtMs = sinceStartMs(stage);
  // At the very end k6 may try one more. What else comes as late is dropped, too.
  if (begunAtMs >= stage.stageMs) return null;
  begin();
  const response = send(stage, token);
  const overAtMs = sinceStartMs(stage);
  const { digest: _digest, edge: _edge, ...seen } = observe(response, stage.expected, false);
  return {
    connection: connection(),
    begunAtMs: toMicroseconds(begunAtMs),
    blockedMs: toMicroseconds(response.timings.blocked),
    overAtMs: toMicroseconds(overAtMs),
    ...seen,
  };
}

function connection(): number {
  return execution.vu.idInInstance - 1;
}

/**
 * Time since the stage's start. k6 has no fine clock for scripts; the share of a scenario that is over
 * comes from one. Once it is over there is only the wall clock, in whole milliseconds.
 */
function sinceStartMs({ stageMs }: K6StagePlan): number {
  const { progress, startTime } = execution.scenario;
  return progress < 1 ? progress * stageMs : Math.max(stageMs, Date.now() - startTime);
}

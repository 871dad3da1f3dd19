import type { Sample } from "@evenbench/results";
import type { BeginLine, ExchangeLine } from "../protocol/index.ts";

/** Below this a time is none: a clock was set back meanwhile. */
const LEAST_MS = 1e-6;

/** A client's line as a sample of the run. `firstTrial` is what its own trial 0 is there. */
export function sampleOf(line: ExchangeLine, { vantage, client }: BeginLine, firstTrial: number): Sample {
  const { edge, protocol } = line;
  const stepped = [line.firstByteMs, line.lastByteMs].some((ms) => ms !== null && ms < LEAST_MS);
  const times = stepped ? [null, null] : [line.firstByteMs, line.lastByteMs];
  return {
    caseId: line.case,
    target: line.target,
    trial: firstTrial + line.trial,
    phase: line.phase,
    roundIndex: line.round,
    position: line.position,
    startedAtMs: line.startedAtMs,
    connectMs: line.connectMs,
    firstByteMs: times[0] ?? null,
    lastByteMs: times[1] ?? null,
    cpuMs: null,
    minorFaults: null,
    status: line.status,
    bodyBytes: line.bodyBytes,
    instanceId: line.instanceId,
    served: line.served,
    inFlight: line.inFlight,
    from: { vantage, client, edge, httpVersion: protocol },
    error:
      line.error ??
      (stepped ? { kind: "connection", detail: "no time passed: the client's clock was set back" } : null),
  };
}

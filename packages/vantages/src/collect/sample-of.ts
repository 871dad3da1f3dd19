import type { Sample } from "@evenbench/results";
import type { BeginLine, ExchangeLine } from "../protocol/index.ts";

/** Below this a time is none: a clock was set back meanwhile. */
const LEAST_MS = 1e-6;

/** A client's line as a sample of the run. `firstTrial` is what its own trial 0 is there. */
export function sampleOf(line: ExchangeLine, { vantage, client }: BeginLine, firstTrial: number): Sample {
  const { edge, protocol } = line;
  return {
    caseId: line.case,
    target: line.target,
    trial: firstTrial + line.trial,
    phase: line.phase,
    roundIndex: line.round,
    position: line.position,
    startedAtMs: line.startedAtMs,
    connectMs: line.connectMs,
    ...timesOf(line),
    cpuMs: null,
    minorFaults: null,
    status: line.status,
    bodyBytes: line.bodyBytes,
    instanceId: line.instanceId,
    served: line.served,
    inFlight: line.inFlight,
    from: { vantage, client, edge, httpVersion: protocol },
  };
}

/** A line's times; where the client's clock was set back meanwhile there are none, and that is its error. */
export function timesOf({
  firstByteMs,
  lastByteMs,
  error,
}: Pick<ExchangeLine, "firstByteMs" | "lastByteMs" | "error">): Pick<
  Sample,
  "firstByteMs" | "lastByteMs" | "error"
> {
  const stepped = [firstByteMs, lastByteMs].some((ms) => ms !== null && ms < LEAST_MS);
  if (!stepped) return { firstByteMs, lastByteMs, error };
  const detail = "no time passed: the client's clock was set back";
  return { firstByteMs: null, lastByteMs: null, error: error ?? { kind: "connection", detail } };
}

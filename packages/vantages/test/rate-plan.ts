import type { RatePlan } from "../src/plan.ts";
import { caseOf } from "./counting-server.ts";
import { manifestOf } from "./plan-of.ts";

export interface RatePlanParts {
  readonly origin: string;
  readonly machines?: number;
  readonly perSecond?: number;
  readonly connections?: number;
  readonly stageMs?: number;
  readonly trials?: number;
  readonly isClosed?: boolean;
}

/** A plan that was not proven: of one case, on a target that a test serves itself. */
export function ratePlanOf(parts: RatePlanParts): RatePlan {
  const { origin, machines = 2, perSecond = 50, connections = 8, stageMs = 2000, trials = 1 } = parts;
  const planned = caseOf("trig", ["node"]);
  const { id, request } = planned;
  return {
    schemaVersion: 1,
    kind: "rate",
    createdAt: "2026-11-22T10:00:00.000Z",
    evenbenchVersion: "0.1.0",
    source: null,
    load: {
      cases: [manifestOf(planned)],
      targets: [
        {
          name: "node",
          target: { name: "node", app: "bundle", platform: "node", place: "url", url: origin, copyOf: null },
          instances: 1,
          workers: 1,
          parameters: {},
        },
      ],
      loads: [{ kind: "open", perSecond, arrivals: "uniform", connections }],
      condition: null,
      trials,
      stageMs,
      seed: 1,
      allowedPins: [],
      engine: { name: "k6", version: "2.2.0" },
    },
    identities: {},
    machines,
    requests: { [id]: request },
    origins: { node: origin },
    closed: parts.isClosed ? ["node"] : [],
    exchangeTimeoutMs: 1000,
    slotMs: stageMs + 4000,
    stages: Array.from({ length: trials }, (_, trial) => ({ caseId: id, target: "node", trial, load: 0 })),
  };
}

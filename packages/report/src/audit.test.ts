import type { ClientLoad, Sample } from "@evenbench/results";
import { expect, test } from "vitest";
import { audit } from "./audit.ts";

/** Three trials, twelve rounds each of two targets that take 10 ms, one after the other. */
function samples(change: (sample: Sample) => Partial<Sample> = () => ({})): Sample[] {
  return [0, 1, 2].flatMap((trial) =>
    Array.from({ length: 12 }, (_, roundIndex) =>
      ["node", "vercel"].map((target, position): Sample => {
        const sample: Sample = {
          caseId: "page",
          target,
          trial,
          phase: "measure",
          roundIndex,
          position,
          startedAtMs: trial * 10_000 + roundIndex * 30 + position * 15,
          connectMs: null,
          firstByteMs: 5,
          lastByteMs: 10,
          cpuMs: null,
          minorFaults: null,
          status: 200,
          bodyBytes: 1,
          instanceId: "0123456789abcdef",
          served: roundIndex + 5,
          inFlight: 0,
          error: null,
        };
        return { ...sample, ...change(sample) };
      }),
    ).flat(),
  );
}

function load(change: Partial<ClientLoad> = {}): ClientLoad[] {
  return [0, 1, 2].map((trial) => ({
    caseId: "page",
    trial,
    wallMs: 360,
    cpuMs: 40,
    eventLoopDelayP99Ms: 0.3,
    ...change,
  }));
}

const kinds = (found: readonly { kind: string }[]) => found.map(({ kind }) => kind);

test("a sound run has nothing to say against itself", () => {
  expect(audit("page", samples(), load())).toEqual([]);
  expect(audit("page", [], [])).toEqual([]);
});

test("a client that works all the time, or comes late, is told with the figure", () => {
  const busy = audit("page", samples(), load({ cpuMs: 330 }));
  expect(busy).toEqual([{ kind: "client-busy", detail: "page: the client used 92 % of a core" }]);
  const late = audit("page", samples(), load({ eventLoopDelayP99Ms: 4 }));
  expect(late).toMatchObject([
    { kind: "client-late", detail: expect.stringContaining("delay (p99) 4.00 ms") },
  ]);
  // Of 2 s nobody misses 4 ms.
  const slow = samples(({ startedAtMs }) => ({ lastByteMs: 2000, startedAtMs: startedAtMs * 200 }));
  expect(audit("page", slow, load({ eventLoopDelayP99Ms: 4 }))).toEqual([]);
});

test("a cold exchange, another user of the instance, and times that move are told by target", () => {
  const cold = samples(({ target, roundIndex }) =>
    target === "vercel" && roundIndex === 3 ? { served: 0 } : {},
  );
  expect(audit("page", cold, load())).toMatchObject([
    { kind: "cold", detail: expect.stringMatching(/vercel answered 3 /) },
  ]);
  const shared = samples(({ target, roundIndex }) => ({
    inFlight: target === "node" && roundIndex < 2 ? 1 : 0,
  }));
  expect(audit("page", shared, load())).toMatchObject([
    { kind: "not-alone", detail: expect.stringContaining("6 of 36") },
  ]);
  const moving = samples(({ target, roundIndex }) =>
    target === "node" ? { lastByteMs: 14 - roundIndex * 0.5 } : {},
  );
  expect(audit("page", moving, load())).toMatchObject([
    { kind: "drift", detail: expect.stringMatching(/node's times became \d+ % shorter/) },
  ]);
  // Drift of the machine between trials is no drift within them.
  expect(
    audit(
      "page",
      samples(({ trial }) => ({ lastByteMs: 10 + trial })),
      load(),
    ),
  ).toEqual([]);
});

test("times that add up to more than one connection can hold void the case", () => {
  expect(
    kinds(
      audit(
        "page",
        samples(() => ({ lastByteMs: 29 })),
        load(),
      ),
    ),
  ).toContain("littles-law");
});

test("failed exchanges and warm-up are not audited", () => {
  const failed = samples(() => ({ served: 0, error: { kind: "length", detail: "" } }));
  expect(audit("page", failed, load())).toEqual([]);
  expect(
    audit(
      "page",
      samples(() => ({ served: 0, phase: "warmup" })),
      load(),
    ),
  ).toEqual([]);
});

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

const IDS: Readonly<Record<string, string>> = { node: "aaaaaaaaaaaaaaaa", "node~copy": "bbbbbbbbbbbbbbbb" };

/** Two trials of a target and its A/A copy, each one warm-up round and ten measured ones, before change. */
function answered(change: (sample: Sample, index: number) => Partial<Sample> = () => ({})): Sample[] {
  return [0, 1].flatMap((trial) =>
    Array.from({ length: 11 }, (_, index) =>
      ["node", "node~copy"].map((target, position): Sample => {
        const sample: Sample = {
          caseId: "page",
          target,
          trial,
          phase: index === 0 ? "warmup" : "measure",
          roundIndex: index === 0 ? 0 : index - 1,
          position,
          startedAtMs: trial * 10_000 + index * 30 + position * 15,
          connectMs: index === 0 ? 0.2 : null,
          firstByteMs: 5,
          lastByteMs: 10,
          cpuMs: null,
          minorFaults: null,
          status: 200,
          bodyBytes: 1,
          instanceId: `${IDS[target]?.slice(1)}${trial}`,
          served: index + 1,
          inFlight: 0,
          error: null,
        };
        return { ...sample, ...change(sample, index) };
      }),
    ).flat(),
  );
}

const found = (change: (sample: Sample, index: number) => Partial<Sample>) =>
  audit("page", answered(change), []);

test("one instance for each trial, over one connection and alone, is what a trial should be", () => {
  expect(audit("page", answered(), [])).toEqual([]);
});

test("an instance that changes within a trial is told, with how often, also between warm-up and measuring", () => {
  const replaced = (from: number) =>
    found(({ target, trial }, index) =>
      target === "node" && trial === 1 && index >= from
        ? { instanceId: "cccccccccccccccc", served: index - from + 1 }
        : {},
    );
  for (const from of [1, 5]) {
    expect(replaced(from)).toEqual([
      {
        kind: "instance-changed",
        detail: "page: another instance of node answered than before, 1 time in 1 of 2 trials",
      },
    ]);
  }
  const turns = found(({ target }, index) =>
    target === "node" && index % 2 === 0 ? { instanceId: "cccccccccccccccc", served: index / 2 } : {},
  );
  expect(turns[0]?.detail).toContain("20 times in 2 of 2 trials");
});

test("connections that are opened again for measured exchanges are told", () => {
  const reconnected = found(({ target }, index) =>
    target === "node" && index > 6 ? { connectMs: 0.3 } : {},
  );
  expect(reconnected).toEqual([
    {
      kind: "reconnected",
      detail: "page: node needed a new connection for 8 of 20 measured requests",
    },
  ]);
});

test("requests of somebody else, which came between ours, are counted by what the instance says it served", () => {
  const shared = found(({ target, served }, index) =>
    target === "node" && index > 3 ? { served: (served ?? 0) + 7 } : {},
  );
  expect(shared).toEqual([
    {
      kind: "not-alone",
      detail: "page: node's instances served 14 requests of others among those of this run",
    },
  ]);
});

test("an A/A copy in the same instance is no stranger, nor is a request of ours whose answer did not come", () => {
  const copy = found(({ target }, index) => ({
    instanceId: "cccccccccccccccc",
    served: 2 * index + (target === "node" ? 0 : 1),
  }));
  expect(copy).toEqual([]);
  const failed = found(({ target }, index) =>
    target === "node" && index === 4
      ? { instanceId: null, served: null, error: { kind: "timeout", detail: "" } }
      : {},
  );
  expect(failed).toEqual([]);
});

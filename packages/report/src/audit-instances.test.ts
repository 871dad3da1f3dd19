import type { Sample } from "@evenbench/results";
import { expect, test } from "vitest";
import { audit } from "./audit.ts";

const IDS: Readonly<Record<string, string>> = { node: "aaaaaaaaaaaaaaaa", "node~copy": "bbbbbbbbbbbbbbbb" };

/** Two trials of a target and its A/A copy, each one warm-up round and ten measured ones, before change. */
function samples(change: (sample: Sample, index: number) => Partial<Sample> = () => ({})): Sample[] {
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
  audit("page", samples(change), []);

test("one instance for each trial, over one connection and alone, is what a trial should be", () => {
  expect(audit("page", samples(), [])).toEqual([]);
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
      detail: "page: node had to be connected to again for 8 of 20 measured requests",
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
      detail: "page: node's instances served 14 requests of somebody else among those of this run",
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

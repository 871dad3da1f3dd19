import type { ClientLoad, Sample } from "@evenbench/results";
import { expect, test } from "vitest";
import { plainSample } from "../test/synthetic.ts";
import { audit, openedAnew } from "./audit.ts";

type Change = (sample: Sample, index: number) => Partial<Sample>;

/** Three trials of two targets that take 10 ms, one after the other: a warm-up round, then twelve of measuring. */
function samples(change: Change = () => ({}), targets = ["node", "vercel"]): Sample[] {
  return [0, 1, 2].flatMap((trial) =>
    Array.from({ length: 13 }, (_, index) =>
      targets.map((target, position): Sample => {
        const sample: Sample = {
          ...plainSample("page", target, trial, trial * 10_000 + index * 30 + position * 15),
          phase: index === 0 ? "warmup" : "measure",
          roundIndex: Math.max(0, index - 1),
          position,
          connectMs: index === 0 ? 0.2 : null,
          firstByteMs: 5,
          lastByteMs: 10,
          instanceId: `${target} ${trial}`,
          served: index,
        };
        return { ...sample, ...change(sample, index) };
      }),
    ).flat(),
  );
}

const load = (change: Partial<ClientLoad> = {}): ClientLoad[] =>
  [0, 1, 2].map((trial) => ({
    caseId: "page",
    trial,
    wallMs: 360,
    cpuMs: 40,
    eventLoopDelayP90Ms: 0.3,
    othersCpuMs: 20,
    ...change,
  }));

const measured =
  (change: Change): Change =>
  (sample, index) =>
    sample.phase === "measure" ? change(sample, index) : {};
const alter = (name: string, change: Change) =>
  measured((sample, index) => (sample.target === name ? change(sample, index) : {}));

const SLOW: Change = ({ startedAtMs }) => ({ lastByteMs: 2000, startedAtMs: startedAtMs * 200 });
/** Another one from a request on, which counts anew. */
const replacedFrom = (from: number): Change =>
  alter("node", ({ trial }, index) =>
    trial === 1 && index >= from ? { instanceId: "another", served: index - from + 1 } : {},
  );
const failed = { error: { kind: "length", detail: "" } } as const;

const unheard: [string, Change, Partial<ClientLoad>, string[]?][] = [
  ["a sound run, though warm-ups begin cold", () => ({}), {}],
  ["4 ms of lateness where answers take 2 s", SLOW, { eventLoopDelayP90Ms: 4 }],
  ["failed exchanges", measured(() => ({ served: 0, ...failed })), {}],
  [
    "an A/A copy in the same instance",
    ({ target }, index) => ({ instanceId: "both", served: 2 * index + (target === "node" ? 0 : 1) }),
    {},
    ["node", "node~copy"],
  ],
  [
    "a request of ours whose answer did not come",
    alter("node", (_, index) => (index === 4 ? { instanceId: null, served: null, ...failed } : {})),
    {},
  ],
];

test.each(unheard)("%s is nothing to say", (...[, change, client, targets]) => {
  expect(audit(samples(change, targets), load(client)).findings).toEqual([]);
  expect(audit([], []).findings).toEqual([]);
});

type Found = [kind: string, target: string | null, numbers: Readonly<Record<string, unknown>>];

const found: [...Found, Change, client?: Partial<ClientLoad>][] = [
  ["client-busy", null, { share: expect.closeTo(0.917, 2) }, () => ({}), { cpuMs: 330 }],
  ["client-late", null, { delayMs: 4, requestMs: 10 }, () => ({}), { eventLoopDelayP90Ms: 4 }],
  ["not-alone", "node", { count: 6 }, alter("node", (_, index) => ({ inFlight: index < 3 ? 1 : 0 }))],
  [
    "not-alone",
    "node",
    { count: 21 },
    alter("node", ({ served }, index) => (index > 3 ? { served: (served ?? 0) + 7 } : {})),
  ],
  ["machine-busy", null, { cores: expect.closeTo(0.5, 9) }, () => ({}), { othersCpuMs: 180 }],
  ["instance-changed", "node", { count: 1 }, replacedFrom(1)],
  ["instance-changed", "node", { count: 1 }, replacedFrom(5)],
  [
    "instance-changed",
    "node",
    { count: 36 },
    alter("node", (_, index) => (index % 2 === 1 ? { instanceId: "another", served: (index + 1) / 2 } : {})),
  ],
  [
    "reconnected",
    "node",
    { count: 18, of: 36, resent: 0 },
    alter("node", (_, index) => (index > 6 ? { connectMs: 0.3 } : {})),
  ],
  [
    "reconnected",
    "node",
    { count: 18, of: 36, resent: 18 },
    alter("node", (_, index) => (index > 6 ? { connectMs: 0.3, resent: true } : {})),
  ],
];

test.each(found)("%s is found of %s: %j", (...[kind, target, numbers, change, client]) => {
  const { findings } = audit(samples(change), load(client));
  expect(findings[0]).toEqual({ kind, target, place: null, numbers });
});

test("drift is looked for in trials of six rounds and more", () => {
  const drifting = samples(alter("node", ({ roundIndex }) => ({ lastByteMs: roundIndex < 3 ? 10 : 14 })));
  const driftIn = (rounds: number) => {
    const short = drifting.filter(({ phase, roundIndex }) => phase === "warmup" || roundIndex < rounds);
    return audit(short, load()).drifts.find(({ target }) => target === "node")?.change;
  };
  expect(driftIn(6)).toBeCloseTo(0.4, 9);
  expect(driftIn(5)).toBe(0);
});

test("a connection that is opened behind a failed request was ended by the client, and is not held against the target", () => {
  const error = { kind: "timeout", detail: "No complete response within 30000 ms" } as const;
  const kept = { connectMs: null, error: null };
  const opened = { connectMs: 0.3, error: null };
  expect(openedAnew([opened, kept, opened, { connectMs: null, error }, opened, kept])).toEqual([
    opened,
    opened,
  ]);
});

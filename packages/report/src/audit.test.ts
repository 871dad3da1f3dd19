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
  ["a machine that drifts between trials", ({ trial }) => ({ lastByteMs: 10 + trial }), {}],
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
  expect(audit("page", samples(change, targets), load(client)).findings).toEqual([]);
  expect(audit("page", [], []).findings).toEqual([]);
});

const notices: [kind: string, detail: string | RegExp, Change, client?: Partial<ClientLoad>][] = [
  ["client-busy", "the client used 92 % of a core", () => ({}), { cpuMs: 330 }],
  [
    "client-late",
    /delay \(p90\) 4\.00 ms; median of all requests to the fastest target 10\.0 ms/,
    () => ({}),
    { eventLoopDelayP90Ms: 4 },
  ],
  ["not-alone", /^node .* 6 of 36/, alter("node", (_, index) => ({ inFlight: index < 3 ? 1 : 0 }))],
  [
    "not-alone",
    "node's instances served 21 requests of others among those of this run",
    alter("node", ({ served }, index) => (index > 3 ? { served: (served ?? 0) + 7 } : {})),
  ],
  [
    "drift",
    /^all targets drifted alike: node became \d+ % faster, vercel \d+ % faster from the first to the last third/,
    measured(({ roundIndex }) => ({ lastByteMs: 14 - roundIndex * 0.5 })),
  ],
  [
    "drift-apart",
    /^node became \d+ % faster, the others hardly, from the first to the last third of the rounds$/,
    alter("node", ({ roundIndex }) => ({ lastByteMs: 14 - roundIndex * 0.5 })),
  ],
  [
    "drift-apart",
    /^node became \d+ % faster, vercel \d+ % slower, from the first/,
    measured(({ target, roundIndex }) => ({
      lastByteMs: target === "node" ? 14 - roundIndex * 0.5 : 14 + roundIndex * 0.5,
    })),
  ],
  ["instance-changed", /^another instance of node .*, 1 time in 1 of 3 trials$/, replacedFrom(1)],
  ["instance-changed", /^another instance of node .*, 1 time in 1 of 3 trials$/, replacedFrom(5)],
  [
    "instance-changed",
    /36 times in 3 of 3 trials/,
    alter("node", (_, index) => (index % 2 === 1 ? { instanceId: "another", served: (index + 1) / 2 } : {})),
  ],
  [
    "reconnected",
    "node needed a new connection for 18 of 36 measured requests",
    alter("node", (_, index) => (index > 6 ? { connectMs: 0.3 } : {})),
  ],
  [
    "reconnected",
    /^node needed a new connection for 18 of 36 measured requests, of which 18 had to be sent a second time/,
    alter("node", (_, index) => (index > 6 ? { connectMs: 0.3, resent: true } : {})),
  ],
];

test.each(notices)("%s is told: %s", (...[kind, detail, change, client]) => {
  const [first, ...others] = audit("page", samples(change), load(client)).findings;
  expect(others.filter((finding) => finding.kind.startsWith("drift"))).toEqual([]);
  expect(first?.kind).toBe(kind);
  expect(first?.detail.startsWith("page: ")).toBe(true);
  expect(first?.detail.slice("page: ".length)).toMatch(detail);
});

test.each([
  [6, ["drift-apart"]],
  [5, []],
])("drift apart is looked for in trials of six rounds and more: of %i", (rounds, kinds) => {
  const drifting = samples(
    alter("node", ({ roundIndex }) => ({ lastByteMs: roundIndex < rounds / 2 ? 10 : 14 })),
  );
  const short = drifting.filter(({ phase, roundIndex }) => phase === "warmup" || roundIndex < rounds);
  expect(audit("page", short, load()).findings.map(({ kind }) => kind)).toEqual(kinds);
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

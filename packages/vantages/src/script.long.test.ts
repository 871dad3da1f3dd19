// What the script does inside of k6 itself, against servers of this machine that count.
import { renderMarker } from "@evenbench/core";
import { NEEDS_K6, startCountingServer } from "@evenbench/load/testing/k6";
import { interleave, maskedDigest } from "@evenbench/probe";
import { deriveSeed } from "@evenbench/runner";
import { expect, test } from "vitest";
import { caseOf, type PlayedLog, planOf, play } from "../test/index.ts";
import { demandOf, planHash, planText, type RoundsPlan } from "./plan.ts";

/** Targets of each round in the order in which they were asked. */
function ordersIn({ exchanges }: PlayedLog, phase: string): string[][] {
  const lines = exchanges.filter((line) => line.phase === phase);
  const rounds = Map.groupBy(lines, ({ stage, round }) => `${stage} ${round}`);
  return [...rounds.values()].map((round) => round.map(({ target }) => target));
}

/** The orders that the probe makes of the same seed. */
function ordersOfProbe({ cases, run }: RoundsPlan, seed: number, phase: string): string[][] {
  const trials = Array.from({ length: run.trials.minimum }, (_, trial) => trial);
  return cases.flatMap(({ id, targets }) =>
    trials.flatMap((trial) => {
      const next = interleave(targets, deriveSeed(seed, id, trial, phase));
      return Array.from({ length: run.roundsPerTrial ?? 0 }, () => next());
    }),
  );
}

test("rounds are in the probe's order; each trial has one connection to each target", NEEDS_K6, async () => {
  await using server = await startCountingServer();
  await using other = await startCountingServer();
  const plan = planOf({
    targets: { node: server.origin, other: other.origin },
    cases: (targets) => ["trig", "math"].map((id) => caseOf(id, targets)),
    trials: 3,
    rounds: 30,
  });
  const log = await play(plan, { EVENBENCH_VANTAGE: "eu" });
  expect(log.others).toEqual([]);
  expect(log.begin).toMatchObject({ vantage: "eu", client: "1", plan: planHash(planText(plan)), part: null });
  const seed = deriveSeed(plan.run.seed, "eu", "1");
  for (const phase of ["measure", "transfer"]) {
    const orders = ordersIn(log, phase);
    expect(orders).toHaveLength(180);
    expect(orders).toEqual(ordersOfProbe(plan, seed, phase));
    expect(new Set(orders.map(String)).size).toBe(6);
  }
  // Six trials: one connection for each target, and one for the copy.
  expect(server.connections()).toBeGreaterThanOrEqual(12);
  expect(other.connections()).toBeGreaterThanOrEqual(6);
  const firsts = Map.groupBy(log.exchanges, ({ stage, target }) => `${stage} ${target}`);
  expect(firsts.size).toBe(18);
  for (const [first] of firsts.values()) {
    expect(first?.connectMs).not.toBeNull();
  }
  // On a busy machine Go does not see in time that one is free again, and dials anew.
  const dialed = log.exchanges.filter(({ connectMs }) => connectMs !== null);
  expect(dialed.length).toBeLessThan(log.exchanges.length / 2);
});

test(
  "a log is whole, its exchanges are what the server saw, and its requests are the probe's",
  NEEDS_K6,
  async () => {
    await using server = await startCountingServer();
    const plan = planOf({ targets: { node: server.origin }, isClosed: true });
    const token = "feedfacefeedfacefeedfacefeedface";
    const { exchanges, begin, end, text } = await play(plan, { EVENBENCH_TOKEN: token });
    expect(end).toMatchObject({ exchanges: demandOf(plan).requests, failed: 0, stopped: null });
    expect(begin?.exchanges).toBe(demandOf(plan).requests);
    expect(new Set([begin, end, ...exchanges].map((line) => line?.nonce)).size).toBe(1);
    expect(exchanges.map(({ served }) => served)).toEqual(server.requests.map((_, index) => index));
    for (const { firstByteMs, lastByteMs, status, protocol } of exchanges) {
      expect([status, protocol]).toEqual([200, "HTTP/1.1"]);
      expect(lastByteMs).toBeGreaterThanOrEqual(firstByteMs ?? Number.NaN);
    }
    for (const { headers } of server.requests) {
      expect(headers).toEqual({
        accept: "*/*",
        "accept-encoding": "identity",
        authorization: `Bearer ${token}`,
        host: new URL(server.origin).host,
        "user-agent": "evenbench",
      });
    }
    expect(text).not.toContain(token);
  },
);

test.each([
  ["status", /HTTP 500 instead of 200/, 500, ""],
  ["length", /a body of 5 bytes instead of 6400/, 200, "short"],
  ["digest", /another body \(6400 bytes; preflight's had 6400\)/, 200, "y".repeat(6400)],
] as const)(
  "an answer of wrong %s is an error, and three in a row stop the client",
  NEEDS_K6,
  async (kind, detail, status, body) => {
    await using server = await startCountingServer({
      answer: (_request, response) =>
        response.writeHead(status, { "content-type": "text/plain" }).end(body) === response,
    });
    const plan = planOf({ targets: { node: server.origin }, warmUp: 60 });
    const { exchanges, end } = await play(plan);
    expect(exchanges[0]?.error).toEqual({ kind, detail: expect.stringMatching(detail) });
    expect(end?.stopped).toMatch(/^node in trig: 3 errors in a row/);
    expect(server.requests).toHaveLength(end?.exchanges ?? 0);
  },
);

test(
  "a case's own request is sent with its body, and the payload after it without one",
  NEEDS_K6,
  async () => {
    const seen: unknown[] = [];
    await using server = await startCountingServer({
      answer(request) {
        seen.push([request.method, request.headers["content-type"], request.headers["content-length"]]);
        return false;
      },
    });
    const sends = { method: "POST", contentType: "text/plain", repeated: "abc\n", bytes: 100_001 } as const;
    const cases = (targets: readonly string[]) => {
      const { request, ...planned } = caseOf("upload", targets);
      return [{ ...planned, request: { ...request, expected: { ...request.expected, sends } } }];
    };
    const { end } = await play(
      planOf({ targets: { node: server.origin }, cases, trials: 1, rounds: 1, warmUp: 1 }),
    );
    expect(end?.failed).toBe(0);
    const upload = ["POST", "text/plain", "100001"];
    const payload = ["GET", undefined, undefined];
    // One of the target and one of its copy: warm-up, round and transfer.
    expect(seen).toEqual([upload, upload, upload, upload, payload, payload]);
  },
);

test("an answer that never ends is a timeout, a closed port an error", NEEDS_K6, async () => {
  await using stuck = await startCountingServer({ answer: (_request, response) => response.write("x") });
  const plan = planOf({ targets: { node: stuck.origin }, timeoutMs: 300 });
  const [late] = (await play(plan)).exchanges;
  expect(late).toMatchObject({ lastByteMs: null, error: { kind: "timeout" } });
  await stuck[Symbol.asyncDispose]();
  const [refused] = (await play(plan)).exchanges;
  expect(refused).toMatchObject({ status: null, firstByteMs: null, error: { kind: "connection" } });
});

test(
  "the place of an answer is read from the header that a platform names, and who gave it from a header or the page",
  NEEDS_K6,
  async () => {
    const body = `${renderMarker({ instanceId: "fedcba9876543210", served: 41, inFlight: 2, renderId: "0".repeat(16) })} page`;
    await using server = await startCountingServer({
      answer(_request, response, index) {
        const edge = index % 2 === 0 ? { "x-place": "at home" } : { "x-way": "fra1::iad1::abc-1-2" };
        response.writeHead(200, { ...edge, "content-type": "text/plain" }).end(body);
        return true;
      },
    });
    const page = (targets: readonly string[]) => {
      const { request, ...planned } = caseOf("next-page", targets, body);
      const expected = { ...request.expected, sha256: maskedDigest(Buffer.from(body)), isPage: true };
      return [{ ...planned, transfer: null, request: { ...request, expected } }];
    };
    const { exchanges, end } = await play(planOf({ targets: { node: server.origin }, cases: page }));
    expect(end?.failed).toBe(0);
    const account = { instanceId: "fedcba9876543210", served: 41, inFlight: 2 };
    expect(exchanges[0]).toMatchObject(account);
    expect(exchanges.slice(0, 2).map(({ edge }) => edge)).toEqual(["home", "fra1"]);
  },
);

test(
  "a client without a vantage, or without the token of closed targets, sends nothing",
  NEEDS_K6,
  async () => {
    await using server = await startCountingServer();
    const plan = planOf({ targets: { node: server.origin }, isClosed: true });
    const nameless = await play(plan, {
      EVENBENCH_VANTAGE: "",
      AWS_REGION: "",
      EVENBENCH_TOKEN: "t".repeat(32),
    });
    expect(nameless.others.join()).toContain("EVENBENCH_VANTAGE is");
    const closed = await play(plan, { EVENBENCH_TOKEN: "" });
    expect(closed.others.join()).toContain("EVENBENCH_TOKEN is not set");
    expect([nameless.exchanges, closed.exchanges, server.requests]).toEqual([[], [], []]);
  },
);

test("a redirect leads nowhere, and the token with it", NEEDS_K6, async () => {
  await using other = await startCountingServer();
  await using server = await startCountingServer({
    answer: (_request, response) => response.writeHead(302, { location: other.origin }).end() === response,
  });
  const plan = planOf({ targets: { node: server.origin }, isClosed: true });
  const { exchanges } = await play(plan, { EVENBENCH_TOKEN: "t".repeat(32) });
  expect(exchanges[0]?.error).toMatchObject({ kind: "status" });
  expect([server.requests.length, other.requests]).toEqual([exchanges.length, []]);
});

test("an engine that repeats for a time gets each trial once", NEEDS_K6, async () => {
  await using server = await startCountingServer();
  const plan = planOf({ targets: { node: server.origin } });
  const { exchanges, end } = await play(plan, {}, ["--vus", "1", "--duration", "6s"]);
  expect(end).toMatchObject({ exchanges: demandOf(plan).requests, stopped: null });
  expect(exchanges).toHaveLength(demandOf(plan).requests);
});

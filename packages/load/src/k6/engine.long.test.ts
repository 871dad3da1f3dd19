// k6 itself puts load on servers of this machine that count.

import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { shellWord } from "@evenbench/core";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { BODY, expected, expectedOf, K6, NEEDS_K6, startCountingServer } from "../../test/k6/index.ts";
import { type K6Stage, runK6Stage } from "./engine.ts";

function stageOf(url: string, changes: Partial<K6Stage> = {}): K6Stage {
  return {
    load: { kind: "open", perSecond: 100, arrivals: "uniform", connections: 8 },
    origins: [url],
    stageMs: 1000,
    path: "/",
    expected,
    exchangeTimeoutMs: 5000,
    runStartedAt: performance.now(),
    signal: new AbortController().signal,
    interruption: new AbortController().signal,
    account: async () => null,
    prove: async () => null,
    ...changes,
  };
}

test("what is due is sent over connections that are open, or counted as dropped", NEEDS_K6, async () => {
  // Long enough for other connections' requests to arrive meanwhile.
  await using answering = await startCountingServer({ workMs: 2 });
  const { outcome, samples } = await runK6Stage(K6, stageOf(answering.origin));
  expect(outcome).toMatchObject({ queued: 0, ended: null, usage: null });
  expect(outcome.sent + outcome.dropped).toBe(100);
  expect(samples).toHaveLength(outcome.sent);
  // One each to open the connections, where the machine is fast enough for that.
  const opened = answering.requests.length - outcome.sent;
  expect(opened).toBeGreaterThan(0);
  expect(opened).toBeLessThanOrEqual(8);
  // On a busy machine Go does not see in time that one is free again, and dials anew.
  const dialed = samples.filter(({ connectMs }) => connectMs !== null);
  expect(dialed.length).toBeLessThan(samples.length / 2);
  for (const { intendedAtMs, startedAtMs, outstanding, error } of samples) {
    expect(error).toBeNull();
    expect(startedAtMs).toBeGreaterThanOrEqual(intendedAtMs);
    expect(outstanding).toBeLessThan(8);
  }
});

test(
  "what finds all connections taken is dropped, and what was sent is answered late",
  NEEDS_K6,
  async () => {
    // Opening is over; the gate is shut until all connections wait, and then for 30 more that are due.
    const held: ServerResponse[] = [];
    let isShut = false;
    const open = () => {
      isShut = false;
      for (const response of held) {
        response.setHeader("content-type", "text/plain").end(BODY);
      }
    };
    await using gated = await startCountingServer({
      answer(_request, response) {
        if (isShut && held.push(response) === 8) {
          setTimeout(open, 300);
        }
        return isShut;
      },
    });
    const onWindow = () => {
      isShut = true;
    };
    const { outcome, samples } = await runK6Stage(K6, stageOf(gated.origin, { stageMs: 3000, onWindow }));
    expect(outcome.sent + outcome.dropped).toBe(300);
    expect(outcome.dropped).toBeGreaterThan(8);
    const late = samples.filter(({ lastByteMs }) => (lastByteMs ?? 0) > 250);
    expect(late.length).toBeGreaterThan(0);
  },
);

test("a wrong answer is an error, and nothing but errors ends the stage", NEEDS_K6, async () => {
  await using answering = await startCountingServer();
  const stage = stageOf(answering.origin, { expected: { ...expected, bytes: 7 }, stageMs: 4000 });
  const { outcome, samples } = await runK6Stage(K6, stage);
  expect(samples[0]?.error?.kind).toBe("length");
  expect(outcome.completed).toBe(0);
  expect(outcome.ended).toContain("100 % of the requests failed");
});

test("an abort ends k6", NEEDS_K6, async () => {
  const abort = new AbortController();
  await using counting = await startCountingServer({
    answer(_request, _response, index) {
      if (index === 20) {
        abort.abort();
      }
      return false;
    },
  });
  const { signal } = abort;
  const stage = stageOf(counting.origin, { stageMs: 60_000, signal, interruption: signal });
  expect((await runK6Stage(K6, stage)).outcome.ended).toBe("the run was interrupted");
});

test("a mask that would be looked for again and again elsewhere has an end within k6", NEEDS_K6, async () => {
  const body = `${"x".repeat(5000)}y`;
  await using answering = await startCountingServer({
    answer(_request, response) {
      response.setHeader("content-type", "text/plain").end(body);
      return true;
    },
  });
  const masks = [{ name: "m", pattern: "(x+)+$", replacement: "" }];
  const stage = stageOf(answering.origin, { expected: { ...expectedOf(body), masks } });
  const { outcome, samples } = await runK6Stage(K6, stage);
  expect(outcome.ended).toBeNull();
  expect(samples.map(({ error }) => error)).toEqual(samples.map(() => null));
});

/**
 * A client that says that it has begun, and ends. Node.js is named by the shell: a first line takes no path with a
 * blank or an apostrophe.
 */
const SHORT_LIVED = `#!/bin/sh
exec ${shellWord(process.execPath)} - <<'END'
const client = { plan: "0".repeat(64), nonce: "0".repeat(16), vantage: "here", client: "1", part: { index: 0, count: 1 } };
const begin = { evenbench: "begin", protocol: 1, ...client, startedAt: new Date().toISOString(), exchanges: null };
process.stderr.write(JSON.stringify(begin) + "\\n");
END
`;

const folder = testFolder();

test("once k6 is dead, nothing waits for the rest of the stage", async () => {
  const k6 = join(folder, "k6");
  writeFileSync(k6, SHORT_LIVED, { mode: 0o755 });
  const stage = stageOf("http://127.0.0.1:1", { stageMs: 3_600_000 });
  const { outcome, samples } = await runK6Stage(k6, stage);
  expect(outcome).toMatchObject({ sent: 0, completed: 0 });
  expect(samples).toEqual([]);
  expect(process.getActiveResourcesInfo()).not.toContain("ChildProcess");
});

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { expect, test } from "vitest";
import {
  caseOf,
  NEEDS_K6,
  namedOrigin,
  planOf,
  playRoutes,
  startCountingServer,
  startDelayProxy,
} from "../../test/index.ts";

test("a delay proxy holds back all bytes, and keeps their order", async () => {
  const sent = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));
  const server = createServer(async (socket) => {
    for (let at = 0; at < sent.length; at += 100) {
      socket.write(sent.subarray(at, at + 100));
      if (at % 1000 === 0) await new Promise(setImmediate);
    }
    socket.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using proxy = await startDelayProxy(origin, 20);
  const begunAt = performance.now();
  const socket = connect(Number(new URL(proxy.origin).port), "127.0.0.1");
  const chunks: Buffer[] = await socket.toArray();
  // A timer may fire a part of a millisecond early.
  expect(performance.now() - begunAt).toBeGreaterThan(19);
  expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  server.close();
});

test(
  "three vantages play one plan over ways of their own, none of which is shorter than it is",
  NEEDS_K6,
  async () => {
    await using node = await startCountingServer();
    await using other = await startCountingServer();
    const served = { node: node.origin, other: other.origin };
    const plan = planOf({
      targets: { node: namedOrigin("node"), other: namedOrigin("other") },
      cases: (targets) => [caseOf("trig", targets)],
    });
    const routes = [
      { vantage: "eu", delayMs: { node: 2, other: 2 } },
      { vantage: "us", delayMs: { node: 10, other: 14 } },
      { vantage: "ap", delayMs: { node: 20, other: 32 } },
    ];
    const logs = await playRoutes(plan, served, routes);
    for (const [index, { begin, end, exchanges }] of logs.entries()) {
      const { vantage, delayMs } = routes[index] as (typeof routes)[number];
      expect([begin?.vantage, end?.failed, end?.exchanges]).toEqual([vantage, 0, plan.counts.exchanges]);
      for (const { target, firstByteMs } of exchanges) {
        const least = delayMs[target === "other" ? "other" : "node"];
        // Both clocks are exact to a part of a millisecond.
        expect(firstByteMs).toBeGreaterThan(least - 1);
      }
    }
    // The same orders would let what depends on the order pass for a difference between vantages.
    expect(new Set(logs.map(({ begin }) => begin?.seed)).size).toBe(3);
  },
);

import { createServer } from "node:http";
import { expect, test } from "vitest";
import { listen } from "../test/listen.ts";
import { maskedDigest } from "./exchange.ts";
import { type AskedTarget, createProbe, runRound } from "./probe.ts";
import { interleave } from "./rules.ts";

const NAMES = ["cloudflare", "node", "node~copy", "vercel"];

test("every round visits every target once", () => {
  const next = interleave(NAMES, 1);
  for (let round = 0; round < 100; round++) expect(next().sort()).toEqual(NAMES);
});

test("the same seed gives the same orders, another seed others", () => {
  const orders = (seed: number) => {
    const next = interleave(NAMES, seed);
    return Array.from({ length: 20 }, () => next().join());
  };
  expect(orders(7)).toEqual(orders(7));
  expect(orders(7)).not.toEqual(orders(8));
});

test("every order comes about equally often", () => {
  const next = interleave(["a", "b", "c"], 2026);
  const counts = new Map<string, number>();
  for (let round = 0; round < 6000; round++) {
    const order = next().join("");
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(["abc", "acb", "bac", "bca", "cab", "cba"]);
  // Chi-squared with 5 degrees of freedom; 20.5 is its 99.9 % point. The seed is fixed, so this cannot flicker.
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  expect(chiSquared).toBeLessThan(20.5);
});

test("targets are asked in the order of the round, one at a time, and their bodies checked when all are done", async () => {
  const log: string[] = [];
  let underWay = 0;
  const body = Buffer.from("right");
  const expected = {
    status: 200,
    contentType: null,
    bytes: body.length,
    sha256: maskedDigest(body),
    masks: [],
    variation: null,
    isPage: false,
  };
  const targets: AskedTarget[] = [];
  for (const name of NAMES) {
    const server = createServer((_request, response) => {
      log.push(name);
      expect(++underWay).toBe(1);
      setTimeout(() => {
        underWay--;
        response.end(name === "vercel" ? "wrong" : "right");
      }, 2);
    });
    targets.push({ name, probe: createProbe(await listen(server)), path: "/", expected });
  }

  const next = interleave(targets, 42);
  const asked: string[] = [];
  for (let round = 0; round < 8; round++) {
    const order = next();
    asked.push(...order.map((target) => target.name));
    const withDigest = round % 4 === 0;
    const exchanges = await runRound(order, { body: withDigest });
    const failed = order.filter((_, index) => exchanges[index]?.error !== null);
    expect(failed.map((target) => target.name)).toEqual(withDigest ? ["vercel"] : []);
  }
  expect(log).toEqual(asked);

  const stop = new AbortController();
  stop.abort();
  expect(await runRound(next(), { body: true }, stop.signal)).toEqual([]);

  for (const { probe } of targets) await probe.close();
});

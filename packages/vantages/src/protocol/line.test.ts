import { expect, test } from "vitest";
import { lineSchema } from "./line.ts";

const NONCE = "0123456789abcdef";
const PLAN = "a".repeat(64);

const exchange = {
  evenbench: "exchange",
  nonce: NONCE,
  seq: 0,
  case: "trig",
  target: "node~copy",
  trial: 0,
  phase: "measure",
  round: 0,
  position: 1,
  startedAtMs: 12,
  connectMs: null,
  firstByteMs: 1.5,
  lastByteMs: 2.5,
  status: 200,
  bodyBytes: 100,
  digest: null,
  instanceId: null,
  served: null,
  inFlight: null,
  edge: "FRA",
  protocol: "HTTP/1.1",
  error: null,
};
const begin = {
  evenbench: "begin",
  protocol: 1,
  plan: PLAN,
  nonce: NONCE,
  vantage: "eu",
  client: "1",
  seed: 7,
  startedAt: "2026-11-22T10:00:00.000Z",
  trials: 5,
  exchanges: 500,
};
const end = {
  evenbench: "end",
  plan: PLAN,
  nonce: NONCE,
  exchanges: 500,
  failed: 0,
  elapsedMs: 9000,
  stopped: null,
};

test.each([begin, exchange, end])("a line of kind $evenbench is what it says", (line) => {
  expect(lineSchema.parse(line)).toEqual(line);
});

test.each([
  ["a kind that there is not", { ...end, evenbench: "pause" }],
  ["a field that there is not", { ...end, place: "eu" }],
  ["no nonce", { ...exchange, nonce: "" }],
  ["a vantage that is no file's name", { ...begin, vantage: "../eu" }],
  ["a cold exchange: no client can start an instance", { ...exchange, phase: "cold" }],
])("a line with %s is refused", (_what, line) => {
  expect(lineSchema.safeParse(line).success).toBe(false);
});

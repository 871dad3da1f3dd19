import { setTimeout as delay } from "node:timers/promises";
import type { Exchange, Probe } from "@evenbench/probe";
import { expectedOf } from "@evenbench/probe/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sendBlock } from "./inspected-target.ts";

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }));
afterEach(() => void vi.useRealTimers());

test.each([
  [1, 200],
  [100, 41],
  [3000, 2],
  [29_000, 1],
])(
  "a block of requests of %i ms each has %i of them: its time ends it, however few came",
  async (ms, count) => {
    const answer: Pick<Exchange, "error" | "body"> = { error: null, body: null };
    const probe = { exchange: () => delay(ms, answer), close: async () => {} } as unknown as Probe;
    const sending = sendBlock([probe], () => ({ path: "/", expected: expectedOf("ok") }));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await sending).toBe(count);
  },
);

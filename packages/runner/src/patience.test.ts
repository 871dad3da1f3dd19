import { describe, expect, test } from "vitest";
import { exchangeLimitMs, Patience, preflightLimitMs } from "./patience.ts";

const cost = (roundMs: number) => ({ roundMs, startMs: 500, warmUpMs: 0, searchMs: 0 });

describe("an exchange may take", () => {
  test("30 s where nobody gave a time", () => {
    expect(preflightLimitMs({}, 3)).toBe(30_000);
    expect(exchangeLimitMs({}, { empty: cost(4) })).toBe(30_000);
  });

  test("no longer than the time that was given, and in a case a part of the case's", () => {
    expect(preflightLimitMs({ totalMs: 18_000 }, 1)).toBe(18_000);
    expect(preflightLimitMs({ timeMs: 4000 }, 3)).toBe(12_000);
    expect(exchangeLimitMs({ totalMs: 84_000 }, { empty: cost(4), page: cost(40) })).toBe(6000);
    const timeMs = new Map([
      ["empty", 4000],
      ["page", 80_000],
    ]);
    expect(preflightLimitMs({ timeMs }, 2)).toBe(30_000);
    expect(exchangeLimitMs({ timeMs }, { empty: cost(4), page: cost(40) })).toBe(6000);
    expect(exchangeLimitMs({ timeMs: 105_000, totalMs: 8000 }, { empty: cost(4) })).toBe(15_000);
  });

  test("never so little that a sound target is lost", () => {
    expect(preflightLimitMs({ totalMs: 1 }, 1)).toBe(10_000);
    expect(exchangeLimitMs({ totalMs: 1 }, { empty: cost(4) })).toBe(2000);
    expect(exchangeLimitMs({ totalMs: 8000 }, { empty: cost(4), slow: cost(3000) })).toBe(12_000);
  });

  test("whole milliseconds: timers take no others", () => {
    expect(preflightLimitMs({ totalMs: 16_000.5 }, 1)).toBe(16_001);
    expect(exchangeLimitMs({ totalMs: 1 }, { page: cost(1000.3) })).toBe(4002);
  });

  test("what the caller says", () => {
    const options = { totalMs: 8000, exchangeTimeoutMs: 400 };
    expect([preflightLimitMs(options, 1), exchangeLimitMs(options, { empty: cost(4) })]).toEqual([400, 400]);
  });
});

test("a target is waited for in vain as long as the whole run was to take, and no longer", () => {
  const patience = new Patience({ totalMs: 8000 }, 2, 2000);
  const late = { error: { kind: "timeout", detail: "" } } as const;
  for (let exchange = 0; exchange < 3; exchange++) patience.note("silent", late);
  patience.note("sound", { error: null });
  patience.check("silent");
  patience.lose("silent", 2000);
  expect(() => patience.check("silent")).toThrow("waited 8 s for it in vain");
  patience.check("sound");
});

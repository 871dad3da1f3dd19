import { expect, test } from "vitest";
import { createCpuAccount } from "./cpu-account.ts";

/** A process that has used so many microseconds, as told. */
function accountOf(...usedMicroseconds: number[]) {
  return createCpuAccount(() => ({ user: usedMicroseconds.shift() ?? 0, system: 0 }));
}

test("a request that was alone is told with the next response: from its arrival to that one's", () => {
  const arrive = accountOf(1000, 5500, 5600);
  const first = arrive("a");
  expect(first.told).toBeNull();
  first.answered();
  const second = arrive("b");
  expect(second.told).toBe("a=4.5");
  second.answered();
  expect(arrive("c").told).toBe("b=0.1");
});

test("requests that were under way together have no account, and neither have those without a name", () => {
  const arrive = accountOf(0, 100, 200, 300, 400, 500);
  const slow = arrive("slow");
  const beside = arrive("beside");
  slow.answered();
  beside.answered();
  const unnamed = arrive(null);
  expect([beside.told, unnamed.told]).toEqual([null, null]);
  unnamed.answered();
  const next = arrive("next");
  expect(next.told).toBeNull();
  next.answered();
  expect(arrive("after").told).toBe("next=0.1");
});

test("a request is not alone while any earlier one is under way, and not the one before it only", () => {
  const arrive = accountOf(0, 100, 200, 50_000, 50_100);
  const long = arrive("long");
  arrive("short").answered();
  const beside = arrive("beside");
  beside.answered();
  long.answered();
  const next = arrive("next");
  expect(next.told).toBeNull();
  next.answered();
  expect(arrive("after").told).toBe("next=0.1");
});

import { expect, test, vi } from "vitest";
import { createCpuAccount } from "./cpu-account.ts";

/**
 * What each response tells of the one before it: "+a" is the arrival of request a, "-a" its answer; "+" has no name.
 */
function tell(events: string, usedMicroseconds: number[]): (string | null)[] {
  vi.spyOn(process, "cpuUsage").mockImplementation(() => ({
    user: usedMicroseconds.shift() ?? 0,
    system: 0,
  }));
  const arrive = createCpuAccount();
  const arrivals = new Map<string, ReturnType<ReturnType<typeof createCpuAccount>>>();
  for (const event of events.split(" ")) {
    const name = event.slice(1);
    if (event.startsWith("+")) {
      arrivals.set(name, arrive(name || null));
    } else {
      arrivals.get(name)?.answered();
    }
  }
  return [...arrivals.values()].map(({ account }) => account);
}

test.each([
  [
    "a request that was alone is told with the next response: from its arrival to that one's",
    "+a -a +b -b +c",
    [1000, 5500, 5600],
    [null, "a=4.5", "b=0.1"],
  ],
  [
    "requests that were under way together have no account, and neither have those without a name",
    "+slow +beside -slow -beside + - +next -next +after",
    [0, 100, 200, 300, 400],
    [null, null, null, null, "next=0.1"],
  ],
  [
    "a request is not alone while any earlier one is under way, and not the one before it only",
    "+long +short -short +beside -beside -long +next -next +after",
    [0, 100, 200, 50_000, 50_100],
    [null, null, null, null, "next=0.1"],
  ],
])("%s", (_, events, used, accounts) => {
  expect(tell(events, used)).toEqual(accounts);
});

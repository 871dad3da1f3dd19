import { expect, test } from "vitest";
import { coresWords } from "./names.ts";

const limits = (usableCores: number, coreQuota: number | null = null) => ({
  limits: { usableCores, coreQuota, memoryBytes: null },
});

test.each([
  [{ cores: 1 }, "1 core"],
  [{ cores: 2, ...limits(2) }, "2 cores"],
  [{ cores: 2, ...limits(1) }, "1 of 2 cores (CPU affinity)"],
  [{ cores: 8, ...limits(8, 0.3) }, "0.3 of a core (limit of the container)"],
  [{ cores: 8, ...limits(4, 1.5) }, "1.5 of 8 cores (limit of the container)"],
  [{ cores: 8, ...limits(2, 4) }, "2 of 8 cores (CPU affinity)"],
])("%j is called %s", (machine, words) => {
  expect(coresWords(machine)).toBe(words);
});

test("cores that client and servers share are called so with their limits", () => {
  expect(coresWords({ cores: 2, ...limits(1) }, "shared core")).toBe("1 of 2 shared cores (CPU affinity)");
});

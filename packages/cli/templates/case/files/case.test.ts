import { expect, test } from "vitest";
import definition from "./case.ts";

const sum = async (n: number): Promise<number> => {
  const request = new Request(`http://localhost/template-case?n=${n}`);
  const response = await definition.handle(request, { n }, { platform: "node" });
  return (await response.json()).sum;
};

test("the squares below 4 add up to 14", async () => {
  expect(await sum(4)).toBe(14);
});

test("the sum is taken modulo 1,000,003", async () => {
  // The sum of the squares below n is (n - 1) n (2n - 1) / 6.
  const n = 1000n;
  expect(await sum(Number(n))).toBe(Number((((n - 1n) * n * (2n * n - 1n)) / 6n) % 1_000_003n));
});

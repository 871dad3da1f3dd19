import { expect, test } from "vitest";
import definition from "./case.ts";

const sum = async (n: number, range: "published" | "small"): Promise<string> => {
  const request = new Request("http://localhost/trig");
  return (await (await definition.handle(request, { n, range }, { platform: "node" })).json()).sum;
};

test("whole multiples of pi add up to nothing but rounding, which never reads as a negative zero", async () => {
  expect(await sum(1000, "published")).toBe("0.0000");
});

test("small arguments add up to the integral of sine times cosine", async () => {
  // The sum over i < n is close to sin(nh)^2 / 2h, where n steps h reach pi / 10.
  const h = (Math.PI * 0.1) / 100_000;
  const integral = Math.sin(100_000 * h) ** 2 / (2 * h);
  expect(Number(await sum(100_000, "small")) / integral).toBeCloseTo(1, 4);
});

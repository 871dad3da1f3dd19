import { expect, test } from "vitest";
import definition from "./case.ts";

type Range = "published" | "small";

const sum = async (n: number, range: Range): Promise<string> => {
  const response = await definition.handle(
    new Request("http://localhost/trig"),
    { n, range },
    { platform: "node" },
  );
  return (await response.json()).sum;
};

test("whole multiples of pi add up to nothing but rounding, which never reads as a negative zero", async () => {
  expect(await sum(1000, "published")).toBe("0.0000");
});

test("small arguments add up to the integral of sine times cosine", async () => {
  // With h = pi * 1e-7 the sum over i < n is close to sin(nh)^2 / 2h.
  const h = Math.PI * 1e-7;
  const integral = Math.sin(100_000 * h) ** 2 / (2 * h);
  expect(Number(await sum(100_000, "small")) / integral).toBeCloseTo(1, 4);
});

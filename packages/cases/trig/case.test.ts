import { expect, test } from "vitest";
import definition from "./case.ts";

const sum = async (every: number, range: "published" | "small"): Promise<string> => {
  const request = new Request("http://localhost/trig");
  return (await (await definition.handle(request, { every, range }, { platform: "node" })).json()).sum;
};

test("whole multiples of pi add up to nothing but rounding, which never reads as a negative zero", async () => {
  expect(await sum(1001, "published")).toBe("0.0000");
});

test("small arguments add up to the integral of sine times cosine", async () => {
  // The sum over steps of h is close to sin(x)^2 / 2h, where they reach x = pi / 10.
  const h = Math.PI * 1e-7 * 9;
  const integral = Math.sin(Math.PI / 10) ** 2 / (2 * h);
  expect(Number(await sum(9, "small")) / integral).toBeCloseTo(1, 4);
});

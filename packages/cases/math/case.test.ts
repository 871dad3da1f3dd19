import { expect, test } from "vitest";
import math from "./case.ts";

test("the results are those that V8 gave in both runtimes when the catalogue was written", async () => {
  const response = await math.handle(new Request("http://localhost/math"), {}, { platform: "node" });
  expect(await response.json()).toEqual({
    integers: 1246025984,
    sorts: 100,
    stringHash: -974820160,
    primes: 9592,
  });
});

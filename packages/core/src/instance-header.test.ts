import { expect, test } from "vitest";
import { formatInstanceHeader, parseInstanceHeader } from "./marks.ts";

test("what is written is what is read", () => {
  const account = { instanceId: "0123456789abcdef", served: 12, inFlight: 3 };
  expect(parseInstanceHeader(formatInstanceHeader(account))).toEqual(account);
});

test.each([
  null,
  undefined,
  "",
  "0123456789abcdef",
  "0123456789abcdeg; served=1; in-flight=0",
  "0123456789abcdef; served=-1; in-flight=0",
])("%j is no account of an instance", (value) => {
  expect(parseInstanceHeader(value)).toBeNull();
});

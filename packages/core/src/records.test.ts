import { expect, test } from "vitest";
import { openRecord } from "./records.ts";

test("a record of keys from outside finds nothing that it was not given, and everything that it was", () => {
  const record = openRecord<number>();
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect(record[name]).toBeUndefined();
  }
  const given = openRecord(["__proto__", "constructor"].map((name, index) => [name, index] as const));
  expect(Object.entries(given)).toEqual([
    ["__proto__", 0],
    ["constructor", 1],
  ]);
});

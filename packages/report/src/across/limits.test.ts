import { expect, test } from "vitest";
import type { Facts, Level } from "../facts/facts.ts";
import { limited, type StateLimit } from "./limits.ts";

const base: StateLimit = { metric: "lastByteMs", of: "value", most: 100, path: null, target: null };

function factsOf(...levels: readonly Partial<Level>[]): Facts {
  const target = { copyOf: null, state: null, absent: null, size: { bytes: 9, gzipBytes: 5 } };
  const usual = {
    case: "a",
    target: "node",
    metric: "lastByteMs",
    why: null,
    load: null,
    place: null,
    p95: null,
  };
  return {
    cases: [
      { id: "a", path: "/a", title: "/a" },
      { id: "b", path: "/b", title: "/b" },
    ],
    targets: [
      { ...target, name: "node", column: "node" },
      { ...target, name: "node~copy", column: "node", copyOf: "node" },
      { ...target, name: "old", column: "old", state: "before" },
    ],
    levels: levels.map((level) => ({ ...usual, ...level })),
  } as unknown as Facts;
}

test.each<[string, Partial<Level>, Partial<StateLimit>, string]>([
  ["whose interval reaches over it", { value: 95, low: 90, high: 110 }, {}, "open"],
  ["whose interval ends below", { value: 90, low: 80, high: 100 }, {}, "below"],
  ["without an interval", { value: 101, low: null, high: null }, {}, "above"],
  ["that was not warm", { value: 90, low: 80, high: 95, why: "not-warm" }, {}, "open"],
  ["with a quantile above", { value: 9, low: 9, high: 9, p95: 101 }, { of: "p95" }, "above"],
])("a number %s stands so", (_, level, limit, standing) => {
  const found = limited(factsOf(level), { ...base, path: "/a", ...limit });
  expect(found.map((each) => [each.column, each.standing])).toEqual([["node", standing]]);
});

test("what was not measured is open, copies and the state before have no limit, and a size is the target's", () => {
  const facts = factsOf({ value: 9, low: 9, high: 9 });
  expect(limited(facts, base).map((each) => [each.case, each.standing])).toEqual([
    ["a", "below"],
    ["b", "open"],
  ]);
  expect(limited(facts, { ...base, path: "/gone" })).toEqual([]);
  const size = limited(facts, { ...base, metric: "gzipBytes", most: 4 });
  expect(size).toEqual([{ case: null, column: "node", value: 5, standing: "above" }]);
});

import { expect, test } from "vitest";
import {
  codingOf,
  comparedShare,
  drawsComparison,
  ErrorBudget,
  faultOf,
  interleave,
  voidUnchecked,
} from "./rules.ts";

test("every order comes about equally often", () => {
  const next = interleave(["a", "b", "c"], 2026);
  const counts = new Map<string, number>();
  for (let round = 0; round < 6000; round++) {
    const order = next().join("");
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(["abc", "acb", "bac", "bca", "cab", "cba"]);
  // Chi-squared with 5 degrees of freedom; 20.5 is its 99.9 % point. The seed is fixed, so this cannot flicker.
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  expect(chiSquared).toBeLessThan(20.5);
});

/**
 * "." is a right answer, "?" one whose body was not checked, "x" a failed one, "r" one whose request was sent again, "|"
 * a fresh instance.
 */
test.each([
  ["three errors in a row", `${".".repeat(1000)}xxx`, "3 errors in a row, the last one timeout: late"],
  ["not where a fresh instance came between", `${".".repeat(1000)}xx|x`, null],
  [
    "more than three that are more than one per cent",
    `${".".repeat(50)}x`.repeat(4),
    "4 errors in 204 checked requests",
  ],
  ["by what was checked alone", `${"?".repeat(19)}x`.repeat(3), "3 errors in a row"],
  ["three requests in a row that were sent again", "...rrr", "which was sent again"],
  ["one in twenty that was sent again", `${".".repeat(19)}r`.repeat(4), "4 errors in 80 checked requests"],
  ["not a few that were sent again", `${".".repeat(199)}r`.repeat(4), null],
  ["not three, however few the requests", "x.x.x", null],
  ["not one in a hundred, however long the run", `${".".repeat(99)}x`.repeat(50), null],
])("what exhausts a budget of errors: %s", (_, course, why) => {
  const budget = new ErrorBudget();
  for (const step of course) {
    expect(budget.exhausted).toBeNull();
    if (step === "|") {
      budget.startInstance();
    } else {
      const error = step === "x" ? ({ kind: "timeout", detail: "late" } as const) : null;
      budget.count(faultOf({ error, resent: step === "r" ? true : undefined }), step !== "?");
    }
  }
  if (why === null) {
    expect(budget.exhausted).toBeNull();
  } else {
    expect(budget.exhausted).toContain(why);
  }
});

/** The same as above; "c" is a failed connection. What is asked behind them all stands after a space. */
test.each([
  ["a wrong answer voids what was not checked before it, back to the last right one", "?.??x?", "?.XXx?"],
  ["a wrong answer behind them all voids what was not checked before it", ".?? x", ".XX"],
  ["a right one behind them all voids nothing", ".??", ".??"],
  ["a failed connection says nothing of bodies", ".??c", ".??c"],
  ["the last right one may be of another connection", "?.?x.?", "?.Xx.?"],
])("%s", (_, course, voided) => {
  const errors = {
    x: { kind: "digest", detail: "another body" },
    c: { kind: "connection", detail: "reset" },
  } as const;
  const errorOf = (step: string) => (step === "x" || step === "c" ? errors[step] : null);
  const [asked = "", last = ""] = course.split(" ");
  const exchanges = [...asked].map((step) => ({ step, error: errorOf(step), isChecked: step === "." }));
  voidUnchecked(exchanges, errorOf(last));
  const seen = exchanges.map(({ step, error }) => (error !== null && step === "?" ? "X" : step));
  expect(seen.join("")).toBe(voided);
});

test("under load each body is compared, of long ones a share that is drawn", () => {
  expect([0, 100, 65_536, 655_360].map((bytes) => comparedShare({ bytes }))).toEqual([1, 1, 1, 0.1]);
  const drawn = (bytes: number) =>
    Array.from({ length: 1000 }, () => drawsComparison({ bytes })).filter(Boolean);
  expect(drawn(65_536)).toHaveLength(1000);
  // A share of one in ten of 1000 lies outside of these once in 10^23 times.
  expect(drawn(655_360).length).toBeGreaterThan(10);
  expect(drawn(655_360).length).toBeLessThan(250);
});

test.each([
  [null, null, null],
  ["identity", "chunked", null],
  ["gzip", "chunked", "gzip"],
  [null, "gzip", "gzip"],
  [null, "gzip, chunked", "gzip, chunked"],
])(
  "an answer of content encoding %s and transfer encoding %s is coded by %s",
  (content, transfer, coding) => {
    expect(codingOf(content, transfer)).toBe(coding);
  },
);

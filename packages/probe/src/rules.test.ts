import { expect, test } from "vitest";
import { ErrorBudget, interleave } from "./rules.ts";

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

const failure = { kind: "timeout", detail: "late" } as const;

test("three errors in a row exhaust the budget, unless a fresh instance came between", () => {
  const budget = new ErrorBudget();
  for (let count = 0; count < 1000; count++) budget.count(null);
  budget.count(failure);
  budget.count(failure);
  budget.startInstance();
  budget.count(failure);
  expect(budget.exhausted).toBeNull();
  budget.count(failure);
  budget.count(failure);
  expect(budget.exhausted).toContain("3 errors in a row, the last one timeout: late");
});

test("more than three errors that are more than one per cent exhaust it", () => {
  const budget = new ErrorBudget();
  for (let error = 0; error < 4; error++) {
    expect(budget.exhausted).toBeNull();
    budget.count(failure);
    for (let count = 0; count < 50; count++) budget.count(null);
  }
  expect(budget.exhausted).toContain("4 errors in 204 requests");
});

test("one error in a hundred does not, however long the run", () => {
  const budget = new ErrorBudget();
  for (let hundred = 0; hundred < 50; hundred++) {
    for (let count = 0; count < 99; count++) budget.count(null);
    budget.count(failure);
    expect(budget.exhausted).toBeNull();
  }
});

import { expect, test } from "vitest";
import { ErrorBudget } from "./rules.ts";

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

import { expect, test } from "vitest";
import gcChurn from "./case.ts";

const churn = async (objects: number, alive: number) => {
  const request = new Request("http://localhost/gc-churn");
  return (await gcChurn.handle(request, { objects, alive }, { platform: "node" })).json();
};

test("the sum is over the objects that died, each read once", async () => {
  // Objects 0, 1 and 2 die: index, index + 1 and the length of "n<index>" each.
  expect(await churn(5, 2)).toEqual({ objects: 5, alive: 2, sum: 0 + 1 + 2 + (1 + 2 + 2) + (2 + 3 + 2) });
});

test("nothing dies while there is room for all", async () => {
  expect((await churn(100, 100)).sum).toBe(0);
  expect((await churn(101, 100)).sum).toBe(3);
});

import { expect, test } from "vitest";
import jsonReviver from "./case.ts";

const parse = async (reviver: number) => {
  const request = new Request("http://localhost/json-reviver");
  return (await jsonReviver.handle(request, { reviver }, { platform: "node" })).json();
};

test("the reviver sees well over 100,000 keys and elements, and changes nothing", async () => {
  const [without, withReviver] = [await parse(0), await parse(1)];
  expect(without.seen).toBe(0);
  expect(withReviver.seen).toBeGreaterThan(120_000);
  expect(withReviver).toEqual({ ...without, seen: withReviver.seen });
});

import { expect, test } from "vitest";
import urlParse from "./case.ts";

const answer = async (passes: number) => {
  const request = new Request("http://localhost/url-parse");
  return (await urlParse.handle(request, { passes }, { platform: "node" })).json();
};

test("each pass parses every address and every relative reference, and writes another address than the pass before", async () => {
  const once = await answer(1);
  const twice = await answer(2);
  expect([once.parsed, twice.parsed]).toEqual([8006, 16_012]);
  expect(twice.sum).not.toBe(once.sum);
  expect(await answer(2)).toEqual(twice);
});

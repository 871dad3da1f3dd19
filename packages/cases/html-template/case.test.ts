import { expect, test } from "vitest";
import htmlTemplate from "./case.ts";

test("a second request computes the page anew: only its time stamps differ", async () => {
  const render = async () =>
    (
      await htmlTemplate.handle(new Request("http://localhost/html-template"), {}, { platform: "node" })
    ).text();
  const first = await render();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await render();
  expect(second).not.toBe(first);
  expect(second.length).toBe(first.length);
  expect(second.length).toBe(htmlTemplate.golden?.bytes);
});

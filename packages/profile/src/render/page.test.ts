import { marksIn, marksOf } from "@evenbench/report/testing/colours";
import { expect, test } from "vitest";
import { recordedPage } from "../../test/recorded-page.ts";

test("profile.html marks each platform with the colour that it has in reports, and no package with one", async () => {
  const names = ["vercel", "node"];
  const html = await recordedPage(names);
  expect(marksIn(html)).toEqual(marksOf(names));
  const [, body = ""] = html.split("<body>");
  expect(body.replace(/class="target c\d"/g, "")).not.toMatch(/class="c\d"/);
  expect(body).toMatch(/<tr class="p0">/);
});

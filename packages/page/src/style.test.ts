import { expect, test } from "vitest";
import { COLOURS, STYLE } from "./style.ts";

test("the style of every page is the text of its file, with each colour of targets light, dark and as a class", () => {
  expect(STYLE).toContain("body {\n  margin: 0;");
  for (let colour = 0; colour < COLOURS; colour++) {
    expect(STYLE.match(new RegExp(`--t${colour}: #`, "g"))).toHaveLength(2);
    expect(STYLE).toContain(`.c${colour} {\n  --c: var(--t${colour});`);
  }
});

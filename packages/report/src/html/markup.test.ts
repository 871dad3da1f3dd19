import { expect, test } from "vitest";
import { htmlDocument } from "./document.ts";
import { html } from "./markup.ts";

test.each([
  "javascript:alert(1)//",
  " java\nscript:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc",
])("%j is no link", (link) => {
  expect(html`<a href="${link}">x</a>`.text).toBe('<a href="#">x</a>');
});

test.each([
  "#case-a:b",
  "history.html",
  "runs/x/report.html",
  "https://a.example/b?c",
  "http://127.0.0.1:1/",
])("%s is a link", (link) => {
  expect(html`<a href="${link}">x</a>`.text).toBe(`<a href="${link}">x</a>`);
});

test("a page runs its own script alone, and one without a script runs none", () => {
  const page = htmlDocument("x", html``, "", { script: "let a;" });
  expect(page).toMatch(/script-src &#39;sha256-[\w+/]{43}=&#39;"/);
  expect(htmlDocument("x", html``)).not.toContain("script-src");
});

import { readFile } from "node:fs/promises";
import { GLOSSARY, html, htmlDocument } from "@evenbench/page";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import { analysed, analysedWithCpu } from "../../test/synthetic.ts";
import { renderHtml } from "./page.ts";
import { methodSection } from "./settings.ts";

test.each([
  ...["javascript:alert(1)//", " java\nscript:alert(1)", "file:///etc"].map((link) => [link, "#"]),
  ...["#case-a:b", "runs/x/report.html", "https://a.example/b?c"].map((link) => [link, link]),
])("a link to %j leads to %j", (link, shown) => {
  expect(html`<a href="${link}">x</a>`.text).toBe(`<a href="${shown}">x</a>`);
});

test("a page runs its own script alone, and one without a script runs none", () => {
  const page = htmlDocument("x", html``, "", { script: "let a;" });
  expect(page).toMatch(/script-src &#39;sha256-[\w+/]{43}=&#39;"/);
  expect(htmlDocument("x", html``)).not.toContain("script-src");
});

const commit = "0123456789012345678901234567890123456789";
const repository = "https://github.com/someone/bench";

test.each([
  ...[false, true].map((changed) => [{ commit, changed, repository }, true] as const),
  ...[{ commit, changed: false, repository: null }, null].map((source) => [source, false] as const),
])("the glossary of the commit is linked where somebody can read it: %o", (source, isLinked) => {
  const { text } = methodSection(source, null);
  const link = `<a href="${repository}/blob/${commit}/docs/glossary.md">the glossary</a>`;
  expect(text.includes(`Words are explained in ${link}`)).toBe(isLinked);
  expect(text.includes("<a ")).toBe(isLinked);
});

test("the page explains words as docs/glossary.md does", async () => {
  const text = await readFile(new URL("../../../../docs/glossary.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)];
  const written = Object.fromEntries(rows.map(([, word, said = ""]) => [word, said.replaceAll("`", "")]));
  expect(written).toMatchObject(GLOSSARY);
});

test("what was not proven is said above every comparison", () => {
  const data = analysed({ rounds: 5 });
  const unproven = "Not proven.";
  const sentences = [...data.summary.sentences, unproven];
  const { document } = parseHTML(renderHtml({ ...data, summary: { ...data.summary, sentences, unproven } }));
  const answers = [...document.querySelectorAll("header .answer")].map(({ textContent }) => textContent);
  expect(answers).toHaveLength(3);
  expect(answers.filter((answer) => !answer.includes(unproven))).toEqual([]);
});

test("what was found beside the heading is a list, one sentence on a platform a line", () => {
  const { document } = parseHTML(renderHtml(analysedWithCpu({ rounds: 20 })));
  const list = document.querySelector("header [data-view] .answer");
  const facts = [...(list?.querySelectorAll("li") ?? [])].map(({ textContent }) => textContent);
  expect(facts.length).toBeGreaterThan(1);
  expect(facts.filter((fact) => fact.split(/: (?:faster|slower|unclear|CPU time is) /).length > 2)).toEqual(
    [],
  );
});

test("what belongs to the answer stands below the picture as a list, one fact a line", () => {
  const { document } = parseHTML(renderHtml(analysedWithCpu({ rounds: 20 })));
  const lists = [...document.querySelectorAll("main [data-view] .facts")];
  expect(lists.length).toBeGreaterThan(0);
  for (const list of lists) {
    const facts = [...list.querySelectorAll("li")].map(({ textContent }) => textContent);
    expect(facts.length).toBeGreaterThan(0);
    // A platform's CPU time is one fact, with what it says where time is open.
    expect(facts.filter((fact) => fact.split(": CPU time is ").length > 2)).toEqual([]);
  }
});

test("every word that is explained has its explanation once, and no two parts of a page have one id", () => {
  const page = renderHtml(analysedWithCpu({ rounds: 10 }));
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  for (const [, id] of page.matchAll(/ popovertarget="([^"]+)"/g)) {
    expect(ids).toContain(id);
  }
});

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { analysed, analysedVantages, analysedWithCpu } from "../../test/synthetic.ts";
import { htmlDocument } from "./document.ts";
import { methodSection } from "./facts.ts";
import { escapeText, html } from "./markup.ts";
import { renderHtml } from "./page.ts";
import { GLOSSARY } from "./term.ts";

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

const commit = "0123456789012345678901234567890123456789";
const repository = "https://github.com/someone/bench";

test.each([false, true])("the glossary of the commit is linked (files differed from it: %s)", (changed) => {
  const { text } = methodSection({ source: { commit, changed, repository } });
  const link = `<a href="${repository}/blob/${commit}/docs/glossary.md">the glossary</a>`;
  expect(text).toContain(`Words are explained in ${link}.`);
});

test.each([null, { commit, changed: false, repository: null }])(
  "nothing is linked where nobody knows where it is read: %o",
  (source) => {
    expect(methodSection({ source }).text).not.toContain("<a ");
  },
);

/** Words of docs/glossary.md with their meanings, as plain text. */
async function written(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL("../../../../docs/glossary.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)];
  return new Map(rows.map(([, word = "", meaning = ""]) => [word, meaning.replaceAll("`", "")]));
}

test.each(Object.entries(GLOSSARY))(
  "the page explains %s as docs/glossary.md does",
  async (word, meaning) => {
    expect((await written()).get(word)).toBe(meaning);
  },
);

test("every word that can be explained is explained somewhere, and no two explanations have one id", () => {
  const pages = [analysed({ rounds: 10 }), analysedWithCpu({ rounds: 10 }), analysedVantages()];
  const page = pages.map(renderHtml).join("");
  const unused = Object.entries(GLOSSARY).filter(
    ([word, meaning]) => !page.includes(`<strong>${word}</strong> ${escapeText(meaning)}`),
  );
  expect(unused.map(([word]) => word)).toEqual(["first byte"]);
  const ids = [...renderHtml(analysedWithCpu({ rounds: 10 })).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

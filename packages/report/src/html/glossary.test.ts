import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { analysed } from "../../test/synthetic.ts";
import { analysedWithCpu } from "../../test/with-cpu.ts";
import { analysedVantages } from "../../test/with-vantages.ts";
import { escapeText } from "./markup.ts";
import { renderHtml } from "./page.ts";
import { GLOSSARY } from "./term.ts";

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

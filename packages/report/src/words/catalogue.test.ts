import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CatalogueEntry, OF_NO_RESULT, REMARKS, TO_KNOW } from "./catalogue.ts";

const FILE = join(import.meta.dirname, "../../../../docs/verdicts.md");

/** Lists what entries say, a line each. */
function linesOf(entries: Readonly<Record<string, CatalogueEntry>>, sign = ""): readonly string[] {
  return Object.values(entries).map(({ title, remedy }) => `- **${sign}${title}:** ${remedy}`);
}

test("docs/verdicts.md has what the catalogue says of each notice (-u writes it)", async () => {
  const [before = "", , after = ""] = readFileSync(FILE, "utf8").split(/<!-- (?:notices|end) -->/);
  const notices = [
    ...linesOf(OF_NO_RESULT, "✕ "),
    ...linesOf(TO_KNOW),
    "",
    "What asks for nothing stands in the report, at its case:",
    "",
    ...linesOf(REMARKS),
  ];
  const page = `${before}<!-- notices -->\n\n${notices.join("\n")}\n\n<!-- end -->${after}`;
  await expect(page).toMatchFileSnapshot(FILE);
});

test("no notice has the title of another one", () => {
  const titles = [OF_NO_RESULT, TO_KNOW].flatMap((entries) =>
    Object.values(entries).map(({ title }) => title),
  );
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

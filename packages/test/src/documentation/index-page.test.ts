import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { describe, expect, test } from "vitest";
import { listPages } from "./read-commands.ts";

const textOf = (page: string) => readFileSync(join(repositoryRoot, page), "utf8");

const INDEX = "docs/README.md";
const linksOf = (text: string) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);

test("the index names every page of docs/ exactly once", () => {
  const pages = globSync("docs/{*,findings/*}.md", { cwd: repositoryRoot }).filter((page) => page !== INDEX);
  const named = linksOf(textOf(INDEX)).filter((link) => link.endsWith(".md"));
  expect(named.map((link) => join("docs", link)).sort()).toEqual(pages.sort());
});

/** As GitHub makes anchors of headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test.each(listPages())("every link of %s into a page leads to a heading of it", (page) => {
  const broken = linksOf(textOf(page)).filter((link) => {
    const [path = "", anchor] = link.split("#");
    if (anchor === undefined || /^https?:/.test(link)) return false;
    const target = path === "" ? page : normalize(join(dirname(page), path));
    return !target.endsWith(".md") || !anchorsOf(textOf(target)).includes(anchor);
  });
  expect(broken).toEqual([]);
});

describe("tutorials", () => {
  const [, list = ""] = /## Tutorials[^\n]*\n([^#]+)/.exec(textOf(INDEX)) ?? [];
  const tutorials = linksOf(list).map((link) => join("docs", link));
  const [, ...groups] = textOf("docs/glossary.md").split(/^## /m);
  // Words of the first group are those of everyday talk about software: what is compared.
  const words = groups
    .slice(1)
    .flatMap((group) => [...group.matchAll(/^\| \*\*(.+?)\*\*/gm)].map(([, word = ""]) => word))
    // Explained by every dictionary.
    .filter((word) => !["request", "connection"].includes(word));

  test("there are some, and words to look for", () => {
    expect(tutorials.length).toBeGreaterThanOrEqual(3);
    expect(words).toEqual(expect.arrayContaining(["trial", "interval", "A/A copy", "verdict"]));
  });

  test.each(tutorials.map((page) => basename(page)))(
    "%s links the first use of every word of the glossary to it, or says there what it means",
    (page) => {
      const text = textOf(join("docs", page));
      const prose = text.replace(/```[\s\S]*?```/g, "").replace(/`[^`]*`/g, "");
      const unexplained = words.filter((word) => {
        const first = new RegExp(`(.?.?)\\b${word}(s|es)?\\b(.{0,16})`, "i").exec(prose);
        return first !== null && !/\]\(glossary/.test(first[3] ?? "") && !(first[1] ?? "").endsWith("**");
      });
      expect(unexplained).toEqual([]);
    },
  );
});

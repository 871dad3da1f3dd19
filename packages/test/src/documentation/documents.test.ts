import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { createProgram, examplesOf } from "@evenbench/cli";
import { repositoryRoot } from "@evenbench/host";
import dictionary from "dictionary-en-gb";
import nspell from "nspell";
import { describe, expect, test } from "vitest";
import { commandsOf, isThere, listPages, readCommands, spoilsJson, whyWrong } from "./documented.ts";

const pages = listPages();
const texts = new Map(pages.map((page) => [page, read(page)]));
const textOf = (page: string) => texts.get(page) ?? "";
const linksOf = (text: string) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);

function read(file: string): string {
  return readFileSync(join(repositoryRoot, file), "utf8");
}

describe("commands", async () => {
  const written = [...pages, "packages/evenbench/package-readme.md"].flatMap(readCommands);
  const examples = examplesOf(await createProgram()).flatMap((line) =>
    commandsOf(line).map((words) => ({ place: "help", words })),
  );

  test("are found in blocks, in sentences and in help texts", () => {
    expect(written.length).toBeGreaterThan(50);
    expect(examples.length).toBeGreaterThan(10);
  });

  test.each([...written, ...examples].map(({ place, words }) => [words.join(" "), place, words] as const))(
    "%s (%s) is one that works",
    async (_command, _place, words) => {
      expect(await whyWrong(words)).toBeNull();
    },
  );

  test("with --json npm is silent, so that JSON is all that a program reads", () => {
    const withJson = [...written, ...examples].filter(({ words }) => words.includes("--json"));
    expect(withJson.length).toBeGreaterThan(0);
    expect(withJson.filter(({ words }) => spoilsJson(words))).toEqual([]);
    expect(spoilsJson(commandsOf("npm run bench -- list --json")[0] ?? [])).toBe(true);
  });

  test.each([
    ["npm run bench -- --tiem 60s", /unknown option '--tiem'/],
    ["npm run bench -- --time soon", /Give a duration/],
    ["npm run bensh", /no script "bensh"/],
    ["npm test -- packages/no-such-folder", /no packages\/no-such-folder/],
  ])("%s would be found out", async (line, reason) => {
    expect(await whyWrong(commandsOf(line)[0] ?? [])).toMatch(reason);
  });
});

describe("links", () => {
  test("the index names every page of docs/ exactly once", () => {
    const all = globSync("docs/{*,findings/*}.md", { cwd: repositoryRoot });
    const named = linksOf(textOf("docs/README.md")).filter((link) => link.endsWith(".md"));
    expect(named.map((link) => join("docs", link)).sort()).toEqual(
      all.filter((page) => page !== "docs/README.md").sort(),
    );
  });

  /** Lists the anchors of a document's headings, as GitHub makes them. */
  const anchorsOf = (text: string) =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );

  test.each(pages)("every link of %s leads to a file of the repository, and to a heading of it", (page) => {
    const broken = linksOf(textOf(page)).filter((link) => {
      if (/^https?:/.test(link)) {
        return false;
      }
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(repositoryRoot, target))) {
        return true;
      }
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test.each(pages)("every file that %s names by its path is there", (page) => {
    const paths = [...textOf(page).matchAll(/`((?:apps|docs|packages)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    const made = /\/(dist|runtime)\/|<|word-count|\.suite\.json/;
    expect(paths.filter((path) => !made.test(path) && !isThere(path))).toEqual([]);
  });
});

describe("prose", () => {
  // The names of programs, formats and people that no dictionary has; a word of ours belongs in the glossary.
  const speller = nspell(dictionary as { aff: Buffer; dic: Buffer });
  for (const word of read("packages/test/words.txt").trim().split("\n")) {
    speller.add(word);
  }
  for (const [, word = ""] of textOf("docs/glossary.md").matchAll(/^- \*\*(.+?)\*\*/gm)) {
    for (const part of word.split(/[^\p{L}]+/u)) {
      speller.add(part);
    }
  }

  /** Gives the sentences of a page: without code, links' addresses, comments and tables. */
  const proseOf = (page: string) =>
    textOf(page)
      .replace(/^---?[\s\S]*?^```$|^ *```[\s\S]*?^ *```$/gm, "\n")
      .replace(/<!--[\s\S]*?-->/g, "")
      .replace(/^(\[\d\]: .*| {4}.*)$/gm, "")
      .replace(/`[^`]*`/g, "`")
      .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[\d\])/g, "$1")
      .replace(/https?:\S+/g, "");

  const spoken = pages.filter((page) => page !== "docs/command-line.md");

  test.each(spoken)(
    "every word of %s is in a dictionary, the glossary or packages/test/words.txt",
    (page) => {
      const words =
        proseOf(page).match(/(?<![\p{L}\p{N}_@/.<-])\p{L}[\p{L}'’]*\p{L}(?![\p{L}\p{N}_/])/gu) ?? [];
      const unknown = words
        .map((word) => word.replace(/['’]s$/, ""))
        .filter((word) => !speller.correct(word) && !speller.correct(word.toLowerCase()));
      expect([...new Set(unknown)]).toEqual([]);
    },
  );

  test.each(spoken)("no sentence of %s has more than 30 words", (page) => {
    const sentences = proseOf(page)
      .split("\n")
      .filter((line) => !line.startsWith("|"))
      .flatMap((line) => line.split(/(?<=[.!?:])(?:["”)*]+)?\s+/));
    const long = sentences.filter((sentence) => (sentence.match(/\p{L}[\p{L}'’-]*/gu) ?? []).length > 30);
    expect(long).toEqual([]);
  });
});

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@evenbench/host";
import { describe, expect, test } from "vitest";
import { evenbenchArguments, whyWrong } from "./check-command.ts";
import { commandsOf, listPages, readCommands } from "./read-commands.ts";

const pages = listPages();
const commands = pages.flatMap(readCommands);

test("commands are found in blocks and in sentences", () => {
  expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/adding-a-case.md", "docs/method.md"]));
  expect(commands.length).toBeGreaterThan(20);
});

test.each(commands.map(({ place, words }) => [words.join(" "), place, words] as const))(
  "%s (%s) is one that works",
  async (_command, _place, words) => {
    expect(await whyWrong(words)).toBeNull();
  },
);

test.each([
  ["npm run bench -- --tiem 60s", /unknown option '--tiem'/],
  ["npm run bench -- --time soon", /Give a duration/],
  ["npm run bench -- report one two three", /too many arguments/],
  ["npm run bensh", /no script "bensh"/],
  ["pnpm dev --filtre node", /unknown option '--filtre'/],
  ["pnpm new case", /missing required argument 'id'/],
  ["npm test -- packages/no-such-folder", /no packages\/no-such-folder/],
  ["pnpm turbo deplyo", /no task "deplyo"/],
  ["wget http://localhost/", /"wget" is no tool/],
])("%s would be found out", async (line, reason) => {
  expect(await whyWrong(commandsOf(line)[0] ?? [])).toMatch(reason);
});

describe("cheap ones really run", () => {
  const cheap = commands
    .map(({ words }) => evenbenchArguments(words)?.join(" "))
    .filter((args) => args !== undefined && (/--help/.test(args) || /^list\b/.test(args)));

  test.each([...new Set(cheap)])("evenbench %s", async (args) => {
    const words = args?.split(" ") ?? [];
    // What is listed was built by whoever runs the tests.
    if (words[0] === "list") words.push("--no-build");
    const command = [join(repositoryRoot, "packages/cli/evenbench.ts"), ...words];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: repositoryRoot });
    expect(stdout).not.toBe("");
  });
});

test.each(pages)("every link of %s to a file of the repository leads to one", (page) => {
  const text = readFileSync(join(repositoryRoot, page), "utf8");
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? "");
  const broken = links.filter((link) => !existsSync(join(repositoryRoot, dirname(page), link)));
  expect(broken).toEqual([]);
});

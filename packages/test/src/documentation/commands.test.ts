import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createProgram, examplesOf } from "@evenbench/cli";
import { repositoryRoot } from "@evenbench/host";
import { expect, test } from "vitest";
import { commands as typed } from "../../test/documentation/documented.ts";
import { whyWrong } from "./check-command.ts";
import { commandsOf, listPages, readCommands } from "./read-commands.ts";
import { waysOf, whyNotRun } from "./ways.ts";

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

test.each(typed.map(({ place, words }) => [words.join(" "), place, words] as const))(
  "%s (%s) is run in one way, or it is said why it is not",
  (_command, _place, words) => {
    expect(waysOf(words).length + (whyNotRun(words) === null ? 0 : 1)).toBe(1);
  },
);

const examples = examplesOf(await createProgram({ code: 0 }));

test("help texts have examples", () => {
  expect(examples.length).toBeGreaterThan(10);
});

test.each(examples)("the example %s is one that works", async (line) => {
  expect(await whyWrong(commandsOf(line)[0] ?? [])).toBeNull();
});

test.each([
  ["npm run bench -- --tiem 60s", /unknown option '--tiem'/],
  ["npm run bench -- --time soon", /Give a duration/],
  ["npm run bench -- report one two three", /too many arguments/],
  ["npm run bensh", /no script "bensh"/],
  ["pnpm dev --filtre node", /unknown option '--filtre'/],
  ["pnpm new case", /missing required argument 'id'/],
  ["npm test -- packages/no-such-folder", /no packages\/no-such-folder/],
  ["npx pnpm -C apps/bnu/runtime install", /no package in apps\/bnu/],
  ["pnpm turbo deplyo", /no task "deplyo"/],
  ["wget http://localhost/", /"wget" is no tool/],
])("%s would be found out", async (line, reason) => {
  expect(await whyWrong(commandsOf(line)[0] ?? [])).toMatch(reason);
});

const readmes = globSync("{apps,packages}/*/README.md", { cwd: repositoryRoot });
/** Of parts of a package. */
const innerReadmes = globSync(["packages/*/src/*/README.md", "packages/cases/*/README.md"], {
  cwd: repositoryRoot,
});

test("every app and every package has a README", () => {
  const manifests = globSync("{apps,packages}/*/package.json", { cwd: repositoryRoot });
  expect(readmes.map(dirname).sort()).toEqual(manifests.map(dirname).sort());
});

test.each([...pages, ...readmes, ...innerReadmes])(
  "every link of %s to a file of the repository leads to one",
  (page) => {
    const text = readFileSync(join(repositoryRoot, page), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? "");
    const broken = links.filter((link) => !existsSync(join(repositoryRoot, dirname(page), link)));
    expect(broken).toEqual([]);
  },
);

test.each([...readmes, ...innerReadmes])("every file that %s names by its path is there", (page) => {
  const text = readFileSync(join(repositoryRoot, page), "utf8");
  const paths = [...text.matchAll(/`((?!dist\/)(?:[\w-]+\/)+[\w-]+\.(?:ts|mjs|json))`/g)].map(
    ([, path]) => path ?? "",
  );
  const places = (path: string) => [join(repositoryRoot, dirname(page), path), join(repositoryRoot, path)];
  expect(paths.filter((path) => !places(path).some((place) => existsSync(place)))).toEqual([]);
});

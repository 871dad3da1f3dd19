// The words of a user, on their way from the door to the command line.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** Makes a clone whose command line prints its words and the folder that it works in. */
function makeClone() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "evenbench-words-")));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const clone = join(place, "clone");
  for (const folder of ["apps", "packages/cli", "docs", "node_modules/.bin"]) {
    mkdirSync(join(clone, folder), { recursive: true });
  }
  for (const file of ["door.cjs", "start.mjs", "tasks.mjs", "toolchain.mjs", "run.mjs"]) {
    cpSync(join(import.meta.dirname, file), join(clone, "packages/setup", file));
  }
  // The packages are there.
  writeFileSync(join(clone, "packages/setup/install.mjs"), "export async function install() {}\n");
  writeFileSync(join(clone, "package.json"), '{ "packageManager": "pnpm@1.0.0", "type": "module" }');
  const source = "console.log(JSON.stringify({ words: process.argv.slice(2), folder: process.cwd() }));\n";
  writeFileSync(join(clone, "packages/cli/evenbench.ts"), source);
  writeFileSync(join(place, "evil.cjs"), "console.log('code of the file');\n");
  writeFileSync(join(place, "vars.env"), `NODE_OPTIONS=--require=${join(place, "evil.cjs")}\n`);
  return { clone };
}

/** Calls the door of a clone, and gives what its command line printed. */
function call(clone: string, from: string, words: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const { stdout } = spawnSync(
    process.execPath,
    ["--", join(clone, "packages/setup/door.cjs"), "bench", ...words],
    {
      cwd: join(clone, from),
      env: {
        ...process.env,
        PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
        ...variables,
      },
      encoding: "utf8",
    },
  );
  return JSON.parse(stdout) as { readonly words: readonly string[]; readonly folder: string };
}

/** The folder in which the package manager was called, and whose scripts it runs, both from the clone on. */
const IN_DOCS = { INIT_CWD: "docs", npm_package_json: "package.json" };

test.each([
  ["in a folder", "docs", ["list"], {}, ["list"], "docs"],
  ["by a package manager in a folder", "", ["list"], IN_DOCS, ["list"], "docs"],
  [
    "by a package manager for another package",
    "",
    ["list"],
    { ...IN_DOCS, npm_package_json: "a/b.json" },
    ["list"],
    "",
  ],
  ["by a script that changed the folder", "docs", ["list"], { ...IN_DOCS, INIT_CWD: "" }, ["list"], "docs"],
  ["behind pnpm's own --", "", ["--", "list", "--json"], {}, ["list", "--json"], ""],
  ["with options", "", ["list", "--json"], {}, ["list", "--json"], ""],
  ["with a second --", "", ["--", "--", "list"], {}, ["--", "list"], ""],
  [
    "with an option of Node.js",
    "",
    ["app", "--env-file", "../vars.env"],
    {},
    ["app", "--env-file", "../vars.env"],
    "",
  ],
])("what is typed %s reaches the command line, with its folder", (_, from, typed, manager, words, folder) => {
  const { clone } = makeClone();
  const variables = Object.fromEntries(
    Object.entries(manager).map(([name, path]) => [name, join(clone, path)]),
  );
  expect(call(clone, from, typed, variables)).toEqual({ words, folder: join(clone, folder) });
});

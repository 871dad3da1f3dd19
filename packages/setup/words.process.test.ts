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

test("relative paths count from where the command was typed, also by a package manager", () => {
  const { clone } = makeClone();
  const docs = join(clone, "docs");
  const ofManager = { INIT_CWD: docs, npm_package_json: join(clone, "package.json") };
  const ofAnother = { INIT_CWD: docs, npm_package_json: join(clone, "other/package.json") };
  expect(call(clone, "docs", ["list"]).folder).toBe(docs);
  expect(call(clone, "", ["list"], ofManager).folder).toBe(docs);
  expect(call(clone, "", ["list"], ofAnother).folder).toBe(clone);
});

test.each([
  [
    ["--", "list", "--json"],
    ["list", "--json"],
  ],
  [
    ["list", "--json"],
    ["list", "--json"],
  ],
  [
    ["app", "--env-file", "../vars.env"],
    ["app", "--env-file", "../vars.env"],
  ],
])("of %j the command line gets all but the package manager's, and Node.js takes none", (typed, words) => {
  expect(call(makeClone().clone, "", typed).words).toEqual(words);
});

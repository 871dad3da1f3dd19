import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./toolchain.mjs";

/**
 * What turbo has to build before the tests that words for Vitest choose: their packages and what these depend
 * on. Everything where one of them discovers the apps: its package.json then has `"evenbench": { "testsNeed":
 * "every build" }`.
 *
 * @param {readonly string[]} args for Vitest: files, parts of their names, options.
 * @returns {Promise<readonly string[] | null>} filters for turbo; empty: everything is to be built; null: nothing.
 */
export async function filtersFor(args, environment) {
  if (args.length === 0) return [];
  const packages = [...new Set((await filesOf(args, environment)).map(packageOf))].map(readPackage);
  if (packages.some(({ evenbench }) => evenbench?.testsNeed === "every build")) return [];
  return packages.length === 0 ? null : packages.map(({ name }) => `--filter=${name}`);
}

/**
 * The test files that Vitest would run, relative to the root. What is wrong with the words it says itself
 * when it runs.
 */
function filesOf(args, environment) {
  return new Promise((resolve) => {
    // At the end: Vitest takes a word behind `--json` for the name of a file to write.
    const command = ["list", ...args, "--filesOnly", "--json"];
    execFile("vitest", command, { cwd: root, env: environment, maxBuffer: 2 ** 24 }, (error, stdout) => {
      resolve(error === null ? JSON.parse(stdout).map(({ file }) => relative(root, file)) : []);
    });
  });
}

/** The nearest folder with a package.json. */
function packageOf(file) {
  let folder = dirname(file);
  while (!existsSync(join(root, folder, "package.json"))) folder = dirname(folder);
  return folder;
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./toolchain.mjs";

/**
 * Filters for turbo: packages of the tests that words for Vitest choose. Empty: everything, where a
 * package.json has `"evenbench": { "testsNeed": "every build" }`; null: nothing.
 */
export async function filtersFor(args, environment) {
  if (args.length === 0) return [];
  const packages = [...new Set((await filesOf(args, environment)).map(packageOf))].map(readPackage);
  if (packages.some(({ evenbench }) => evenbench?.testsNeed === "every build")) return [];
  return packages.length === 0 ? null : packages.map(({ name }) => `--filter=${name}`);
}

/** What is wrong with the words Vitest says itself. */
function filesOf(args, environment) {
  return new Promise((resolve) => {
    // At the end: Vitest takes a word behind `--json` for the name of a file to write.
    const command = ["list", ...args, "--filesOnly", "--json"];
    execFile("vitest", command, { cwd: root, env: environment, maxBuffer: 2 ** 24 }, (error, stdout) => {
      resolve(error === null ? JSON.parse(stdout).map(({ file }) => relative(root, file)) : []);
    });
  });
}

function packageOf(file) {
  let folder = dirname(file);
  while (!existsSync(join(root, folder, "package.json"))) folder = dirname(folder);
  return folder;
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}

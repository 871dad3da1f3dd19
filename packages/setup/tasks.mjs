import { run } from "./toolchain.mjs";

const cli = "packages/cli/evenbench.ts";

/** What the root's scripts do once everything is installed. Each takes the environment and the user's arguments. */
export const tasks = {
  bench: (environment, args) => run("node", [cli, ...args], environment),
  "bench:self": (environment, args) => run("node", ["packages/cli/bench/self.ts", ...args], environment),
  build: (environment, args) => run("turbo", ["run", "build", ...args], environment),
  test: runTests,
};

/** Cheap checks first; the first failure ends it. Arguments go to Vitest, and then only Vitest runs. */
async function runTests(environment, args) {
  const build = ["turbo", ["run", "build", "--output-logs=errors-only"]];
  const tests = ["vitest", ["run", ...args]];
  const checks = [
    ["biome", ["check", "."]],
    ["tsc", ["--noEmit"]],
  ];
  for (const [command, commandArgs] of args.length > 0 ? [build, tests] : [...checks, build, tests]) {
    const code = await run(command, commandArgs, environment);
    if (code !== 0) return code;
  }
  return 0;
}

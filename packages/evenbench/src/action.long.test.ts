// The action, its steps run as a runner of GitHub runs them, on what actions/checkout leaves of a pull request.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { gitIn } from "@evenbench/host/testing/folder";
import { serveRegistry } from "@evenbench/host/testing/registry";
import type { Facts } from "@evenbench/report";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type Installed, install } from "../test/installed.ts";

/** The parts of action.yml that a runner reads. */
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly id?: string;
      readonly run?: string;
      readonly env?: Readonly<Record<string, string>>;
    }[];
  };
}

let installed: Installed;
const inFolder = (...path: string[]) => join(installed.folder, ...path);
beforeAll(async () => {
  installed = await install();
});
afterAll(() => rm(installed.scratch, { recursive: true }));

/** A server that takes CPU time alone, and does not start where it gets a token of the job's. */
const serverOf = (count: number) => `import { createServer } from "node:http";
if (process.env.GITHUB_TOKEN || process.env.ACTIONS_RUNTIME_TOKEN) throw new Error("It got a token.");
createServer((_request, response) => {
  let total = 0;
  for (let index = 0; index < ${count}; index++) total += Math.sqrt(index) % 2;
  response.end(String(total > 0));
}).listen(process.env.PORT, "127.0.0.1");
`;

/** Makes a pull request, and checks its merge out with one commit. */
async function checkOut(name: string): Promise<{ readonly folder: string; readonly base: string }> {
  const remote = inFolder(`${name}-remote`);
  await mkdir(remote);
  const git = gitIn(remote);
  git("init", "--quiet", "--initial-branch=main");
  git("config", "uploadpack.allowAnySHA1InWant", "true");
  const commit = async (file: string, text: string) => {
    await writeFile(join(remote, file), text);
    git("add", "--all");
    git("commit", "--quiet", `--message=${file}`);
  };
  await commit("package.json", '{ "name": "server", "private": true, "type": "module" }');
  await commit("server.js", serverOf(3e5));
  git("checkout", "--quiet", "-b", "change");
  await commit("server.js", serverOf(3e6));
  git("checkout", "--quiet", "main");
  await commit("readme.md", "The branch went on.");
  git("merge", "--quiet", "--no-ff", "--message=merge", "change");
  git("update-ref", "refs/pull/7/merge", "HEAD");
  const folder = inFolder(name);
  await mkdir(folder);
  const inClone = gitIn(folder);
  inClone("init", "--quiet");
  inClone("remote", "add", "origin", `file://${remote}`);
  inClone("fetch", "--quiet", "--depth=1", "origin", "refs/pull/7/merge");
  inClone("checkout", "--quiet", "--detach", "FETCH_HEAD");
  return { folder, base: git("rev-parse", "HEAD^1").trim() };
}

test("the action's steps fetch the base, find a pull request that takes more CPU time, and write what GitHub shows", async () => {
  const { inputs, runs }: Action = parse(await readFile(join(repositoryRoot, "action.yml"), "utf8"));
  const [step, ...others] = runs.steps.filter(({ id }) => id === "measure");
  expect(others).toEqual([]);
  const usual = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]));
  const given = { ...usual, start: "node server.js", path: "/\n/b", time: "15s", args: "--seed 1" };
  // The two expressions of the step, as GitHub replaces them.
  const values: Readonly<Record<string, string>> = {
    "${{ toJSON(inputs) }}": JSON.stringify(given),
    "${{ inputs.version }}": usual.version ?? "",
  };
  const variables = Object.entries(step?.env ?? {}).map(([name, value]) => [name, values[value] ?? ""]);
  const { folder, base } = await checkOut("pull-request");
  const files = { GITHUB_OUTPUT: inFolder("output"), GITHUB_STEP_SUMMARY: inFolder("summary") };
  const environment = {
    ...(await serveRegistry([installed.tarball], inFolder("npm"))),
    npm_config_offline: "false",
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_REF: "refs/pull/7/merge",
    GITHUB_TOKEN: "a token of the job",
    ACTIONS_RUNTIME_TOKEN: "another one",
    ...files,
    ...Object.fromEntries(variables),
  };
  const words = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.run ?? "exit 9"];
  const { code, stdout, stderr } = await installed.runIn(folder, environment, "bash", ...words);
  const output = await readFile(files.GITHUB_OUTPUT, "utf8");
  const outputs = Object.fromEntries(output.split("\n").map((line) => line.split("=", 2)));
  const facts: Facts = JSON.parse(await readFile(join(folder, outputs.json), "utf8"));
  expect(facts.run.parts[0]?.commit).toBe(base);
  expect(facts.run.command?.slice(0, 2)).toEqual(["against", base]);
  const found = facts.changes.filter(({ metric, role }) => metric === "cpuMs" && role === "main");
  expect(found.map(({ verdict }) => verdict)).not.toContain("faster");
  // A machine with other work can disturb measuring so much that there is no verdict: then it is a warning.
  const isFound = found.some(({ verdict }) => verdict === "slower");
  expect([code, outputs.result], stderr).toEqual(isFound ? [1, "failed"] : [0, "undecided"]);
  expect(stdout).toMatch(isFound ? /^::error title=.*::node in \//m : /^::warning title=/m);
  const summary = await readFile(files.GITHUB_STEP_SUMMARY, "utf8");
  expect(summary).toBe(await readFile(join(folder, outputs.markdown), "utf8"));
  expect(summary).toContain(`npx evenbench against ${base} `);
});

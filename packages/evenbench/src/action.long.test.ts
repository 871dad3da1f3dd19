// The actions, their steps run as a runner of GitHub runs them, on what actions/checkout leaves of a pull request.
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { runInNewContext } from "node:vm";
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
  readonly runs: { readonly steps: readonly Step[] };
}
interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}
type Texts = Readonly<Record<string, string>>;

/** What a runner knows when it runs an action's steps. */
interface Job {
  readonly inputs: Texts;
  /** The context `github`. */
  readonly github: object;
  /** Variables of all steps. */
  readonly variables: Texts;
  /** Absolute path of the checkout. */
  readonly folder: string;
}

let installed: Installed;
let registry: Texts;
const inFolder = (...path: string[]) => join(installed.folder, ...path);
beforeAll(async () => {
  installed = await install();
  registry = await serveRegistry([installed.tarball], inFolder("npm"));
  await mkdir(inFolder("bin"));
  await writeFile(inFolder("bin/gh"), GH);
  await chmod(inFolder("bin/gh"), 0o755);
});
afterAll(() => rm(installed.scratch, { recursive: true }));

/** GitHub's program: it finds pull request 7, no comment of before, and an artifact, and keeps the text of a comment. */
const GH = `#!/usr/bin/env bash
last="\${@: -1}"
case "$*" in
  "pr list"*) echo 7 ;;
  "run download"*) cp -r "$ARTIFACTS" "$last" ;;
  *--paginate*) ;;
  *) echo "$*" > "$COMMENTED"; cat "\${last#body=@}" >> "$COMMENTED" ;;
esac
`;

/** A server that takes CPU time alone, and does not start where it gets a token of the job's. */
const serverOf = (count: string) => `import { createServer } from "node:http";
if (process.env.GITHUB_TOKEN || process.env.ACTIONS_RUNTIME_TOKEN) throw new Error("It got a token.");
const count = ${count};
createServer((_request, response) => {
  let total = 0;
  for (let index = 0; index < count; index++) total += Math.sqrt(index) % 2;
  response.end(String(total > 0));
}).listen(process.env.PORT, "127.0.0.1");
`;

/** Makes a pull request, and checks its merge out with one commit. */
async function checkOut(name: string, [before, after]: readonly [string, string]) {
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
  await commit("server.js", before);
  git("checkout", "--quiet", "-b", "change");
  await commit("server.js", `${after}// changed\n`);
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
  return { folder, base: git("rev-parse", "HEAD^1"), merge: git("rev-parse", "HEAD") };
}

/** Runs an action's steps. @returns what its steps said and left. */
async function runAction(file: string, { inputs, github, variables, folder }: Job) {
  const action: Action = parse(await readFile(join(repositoryRoot, file), "utf8"));
  const usual = Object.fromEntries(
    Object.entries(action.inputs).map(([name, given]) => [name, given.default]),
  );
  const steps: Record<string, { readonly outputs: Texts }> = {};
  const values = {
    inputs: { ...usual, ...inputs },
    github: { ...github, action_path: join(repositoryRoot, file, "..") },
    steps,
    cancelled: () => false,
    toJSON: JSON.stringify,
  };
  // What our actions use of GitHub's expressions is JavaScript, but for names with a hyphen.
  const evaluated = (text: string) =>
    text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) =>
      String(runInNewContext(expression.replace(/\.(\w+-[\w-]+)/g, '["$1"]'), values)),
    );
  const said = { code: 0 as number | string | null, stdout: "", stderr: "", summary: "" };
  for (const [index, step] of action.runs.steps.entries()) {
    const isAsked = step.if === undefined ? said.code === 0 : evaluated(step.if) === "true";
    if (step.run === undefined || !isAsked) {
      continue;
    }
    const files = {
      GITHUB_OUTPUT: `output-${index}`,
      GITHUB_STEP_SUMMARY: `summary-${index}`,
      GITHUB_ENV: `env-${index}`,
    };
    const paths = Object.entries(files).map(([name, path]) => [name, `${folder}.${path}`] as const);
    await Promise.all(paths.map(([, path]) => writeFile(path, "")));
    const env = Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluated(value)]);
    const words = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run];
    const ended = await installed.runIn(
      join(folder, evaluated(step["working-directory"] ?? ".")),
      { ...variables, ...Object.fromEntries([...paths, ...env]) },
      "bash",
      ...words,
    );
    const [output = "", summary = ""] = await Promise.all(paths.map(([, path]) => readFile(path, "utf8")));
    const outputs = output.split("\n").flatMap((line) => (line === "" ? [] : [line.split(/=(.*)/s, 2)]));
    steps[step.id ?? `${index}`] = { outputs: Object.fromEntries(outputs) };
    said.code ||= ended.code;
    said.stdout += ended.stdout;
    said.stderr += ended.stderr;
    said.summary += summary;
  }
  return { ...said, outputs: steps.measure?.outputs ?? {} };
}

/** Measures a pull request by the action. `isForks` is true where it comes from a fork. */
async function checkPullRequest(
  name: string,
  servers: readonly [string, string],
  { isForks = false, time = "6s" } = {},
) {
  const { folder, base, merge } = await checkOut(name, servers);
  const event = {
    repository: { full_name: "o/r" },
    pull_request: { number: 7, head: { repo: { full_name: isForks ? "fork/r" : "o/r" } } },
  };
  await writeFile(`${folder}.event.json`, JSON.stringify(event));
  const variables = {
    ...registry,
    npm_config_offline: "false",
    PATH: [inFolder("bin"), process.env.PATH].join(delimiter),
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_REF: "refs/pull/7/merge",
    GITHUB_SHA: merge,
    GITHUB_BASE_REF: "main",
    GITHUB_EVENT_PATH: `${folder}.event.json`,
    GITHUB_TOKEN: "a token of the job",
    ACTIONS_RUNTIME_TOKEN: "another one",
    RUNNER_TEMP: `${folder}.temp`,
    COMMENTED: `${folder}.commented`,
  };
  await mkdir(variables.RUNNER_TEMP);
  const inputs = {
    start: "node server.js",
    path: "/products",
    time,
    args: "--seed 1\n--cold 0",
    comment: "true",
  };
  const github = { event, repository: "o/r", token: "a token" };
  const ended = await runAction("action.yml", { inputs, github, variables, folder });
  const commented = () => readFile(variables.COMMENTED, "utf8").catch(() => null);
  return { ...ended, folder, base, variables, commented };
}

const LOOPS = "3e4";
const MANY_LOOPS = `8 * ${LOOPS}`;
/** Each start has a speed of its own. */
const NOISY = serverOf(`${LOOPS} * (1 + 9 * Math.random())`);

/** How a check ends by its result: the exit code, and the annotation; null for none. */
const ENDS = {
  passed: [0, null],
  failed: [1, /^::error title=.*::node in \/products is slower by CPU time/m],
  undecided: [0, /^::warning title=.*::node in \/products /m],
} as const;

// On a machine that is too busy to warm three starts nobody can say.
test.each([
  { name: "slower", servers: [serverOf(LOOPS), serverOf(MANY_LOOPS)], not: "passed" },
  { name: "faster", servers: [serverOf(MANY_LOOPS), serverOf(LOOPS)], not: "failed" },
  { name: "noisy", servers: [NOISY, NOISY], not: "passed" },
] as const)(
  "a pull request that is $name has no check that $not, and the annotation, the summary and the comment of its result",
  async ({ name, servers, not }) => {
    const found = await checkPullRequest(name, servers, { time: name === "noisy" ? "6s" : "20s" });
    const { code, stdout, stderr, summary, outputs, base } = found;
    expect(outputs.result, stderr).not.toBe(not);
    const [ends, annotation] = ENDS[outputs.result as keyof typeof ENDS];
    expect(code, stderr).toBe(ends);
    if (annotation === null) {
      expect(stdout).not.toMatch(/^::/m);
    } else {
      expect(stdout).toMatch(annotation);
    }
    const facts: Facts = JSON.parse(await readFile(outputs.json ?? "", "utf8"));
    expect(facts.run.parts[0]?.commit).toBe(base);
    expect(facts.run.command?.slice(0, 2)).toEqual(["against", base]);
    expect(summary).toBe(await readFile(outputs.markdown ?? "", "utf8"));
    expect(summary).toContain(`npx evenbench against ${base} `);
    expect(await found.commented()).toContain("repos/o/r/issues/7/comments");
  },
);

test("a fork's pull request that does not start is red, and the second action comments what its run left", async () => {
  const servers = [serverOf(LOOPS), 'throw new Error("no database");\n'] as const;
  const { code, stdout, summary, outputs, folder, variables, commented } = await checkPullRequest(
    "fork",
    servers,
    { isForks: true },
  );
  expect([code === 0, outputs.result, await commented()]).toEqual([false, "failed", null]);
  expect(stdout).toMatch(/^::error title=Not measured::.*no database/m);
  // A log may have secrets, which the job's own log hides.
  expect(summary).toContain("### Not measured\n");
  expect(summary).not.toContain("no database");
  const github = { event: { workflow_run: { id: 1, head_sha: "abc" } }, repository: "o/r", token: "a token" };
  const job = { inputs: {}, github, variables: { ...variables, ARTIFACTS: outputs.folder ?? "" }, folder };
  expect(await runAction("comment/action.yml", job)).toMatchObject({ code: 0 });
  expect(await commented()).toMatch(/repos\/o\/r\/issues\/7\/comments.*### Not measured/s);
});

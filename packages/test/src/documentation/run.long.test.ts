// The commands of README.md and of the tutorials, run as they are typed, each bounded to seconds.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ScratchRepository, scratchRepository } from "@evenbench/cli/create/testing";
import { repositoryRoot } from "@evenbench/host";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Platforms, startPlatforms } from "../../test/documentation/platforms.ts";
import { evenbenchArguments, listPages, readCommands } from "./documented.ts";
import { runCommand, withArguments } from "./run-command.ts";

const PAGES = ["README.md", "docs/first-run.md", "docs/adding-a-case.md", "docs/measure-your-own-app.md"];

/** Commands that are not run, by how they begin, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "npm test": "it is what runs these tests",
  "npx pnpm -C": "it downloads a runtime; apps/bun and apps/deno have tests with what it installs",
  "npx opennextjs-cloudflare": "it builds an app that the reader has",
  "npx wrangler": "likewise",
  "npm run bench:self -- against": "it builds copies of the repository for minutes",
  "npm run bench:self -- findings": "it writes into README.md",
};

const OWN_SERVER = join(import.meta.dirname, "../../test/documentation/own-server.mjs");
const ONE_TARGET = ["--target", "node"];

/** What bounds a command, or keeps what it writes apart: later options win over those in the page. */
const ADDED: Readonly<Record<string, (args: readonly string[], out: string) => readonly string[]>> = {
  run(args, out) {
    const bounds = ["--no-build", "--time", "1s", "--trials", "1", "--out", out];
    const cold = args.includes("--cold") ? ["--cold", "1"] : [];
    const sweep = args.includes("--sweep") ? ["--sweep", "1s"] : [];
    if (args.includes("--path")) return bounds;
    const oneCase = args.includes("--case") || args.includes("--where") ? [] : ["--case", "empty"];
    return [...bounds, ...cold, ...sweep, ...oneCase, ...(args.includes("--where") ? [] : ONE_TARGET)];
  },
  against: (_args, out) => ["--no-build", "--time", "1s", "--out", out, ...ONE_TARGET],
  deploy: () => ["--yes", "--app", "bundle"],
  destroy: () => ["--yes"],
  dev: () => ["--port", "0", "--filter", "node"],
  experiment: (_args, out) => ["--no-build", "--time", "1s", "--out", out],
  load: (_args, out) => ["--no-build", "--time", "1s", "--trials", "1", "--out", out, ...ONE_TARGET],
  preflight: () => ["--no-build"],
  profile: (_args, out) => ["--no-build", "--time", "500ms", "--out", out, ...ONE_TARGET],
  serve: () => ["--no-build", "--app", "bundle"],
  site: (_args, out) => ["--out", `${out}-gallery`],
};

/** The same for what measures the benchmark itself: as little of it as there is. */
const ADDED_TO_STUDIES: Readonly<Record<string, (out: string) => readonly string[]>> = {
  busy: () => ["--time", "1s", "--trials", "1"],
  client: () => ["40"],
  coverage: (out) => ["20", "--out", `${out}-coverage.md`],
  "load-engines": () => ["1", "1"],
  pool: () => ["--draws", "2", "--trials", "1", "--most", "0"],
  scale: () => ["400"],
  slowed: (out) => ["trig", "--trials", "1", "--out", out],
};
const isStudy = (words: readonly string[]) => words.includes("bench:self");

const commands = new Map(
  [
    ...PAGES.flatMap(readCommands),
    ...listPages()
      .flatMap(readCommands)
      .filter(({ words }) => isStudy(words)),
  ]
    .filter(({ words }) => !Object.keys(NOT_RUN).some((begin) => words.join(" ").startsWith(begin)))
    .map(({ place, words }) => [words.join(" "), { place, words }]),
);

let folder: string;
let run: string;
let scratch: ScratchRepository;
let platforms: Platforms;
let home: Readonly<Record<string, string>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  const results = join(folder, "results");
  await mkdir(results);
  const small = ["--no-build", "--case", "empty", "--app", "bundle", "--time", "1s", "--trials", "2"];
  const { code, said } = await runCommand(["npm", "run", "bench", "--", ...small, "--out", results], {});
  expect(code, said).toBe(0);
  const [name = ""] = (await readdir(results)).filter((file) => !file.startsWith("."));
  run = join(results, name);
  scratch = await scratchRepository();
  platforms = await startPlatforms(scratch.root);
  const pnpm = join(repositoryRoot, "node_modules/.bin/pnpm");
  const { stdout } = await promisify(execFile)(pnpm, ["store", "path"], { cwd: repositoryRoot });
  // In another home pnpm has another store, into which it would download every package again.
  home = { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, npm_config_store_dir: stdout.trim() };
});
afterAll(async () => {
  await platforms?.[Symbol.asyncDispose]();
  await scratch?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test.each([...commands].map(([line, { place, words }]) => [line, place, words] as const))(
  "%s (%s)",
  async (_line, _place, words) => {
    const args = evenbenchArguments(words) ?? [];
    const [first = ""] = args;
    const command = first === "" || first.startsWith("-") ? "run" : first;
    const out = join(folder, "out");
    const study = isStudy(words) ? (words.find((word) => word in ADDED_TO_STUDIES) ?? "") : null;
    const added =
      study !== null
        ? // A build would change what other tests are serving.
          ["--no-build", ...(ADDED_TO_STUDIES[study]?.(out) ?? [])]
        : args.includes("--help")
          ? []
          : (ADDED[command]?.(args, out) ?? []);
    const filled = words.map((word) => fillIn(word, command));
    const isDeployed = ["deploy", "destroy"].includes(command) || args.includes("--where");
    const started =
      command === "new"
        ? [process.execPath, join(scratch.root, "packages/cli/evenbench.ts"), ...args]
        : withArguments(filled, added);
    const over = new AbortController();
    // What takes longer than a test may is not left to disturb those that follow.
    onTestFinished(() => over.abort());
    const ready = ["serve", "dev"].includes(command) ? /\(pid \d+|Ctrl-C ends it/ : undefined;
    const { code, said } = await runCommand(
      started,
      { ...home, ...(isDeployed ? platforms.environment : {}) },
      ready,
      isDeployed || command === "new" ? scratch.root : repositoryRoot,
      over.signal,
    );
    // Package managers end by the signal, too: what counts is that every process of the group has ended.
    if (ready !== undefined) expect(said).toContain("Stopping all servers.");
    // What lasts a second cannot rule out a slowdown.
    else expect(words.includes("--fail-on") ? [0, 3] : [0], said).toContain(code);
    expect(said).not.toBe("");
  },
);

/** What stands for names that a reader makes up, and for work that takes minutes. */
function fillIn(word: string, command: string): string {
  if (command === "experiment" && word === "all") return "price";
  const [, target] = /^([\w-]+)=cmd:/.exec(word) ?? [];
  if (target !== undefined) return `${target}=cmd: exec node ${OWN_SERVER}`;
  if (command === "profile") return word;
  const standIns: Readonly<Record<string, string>> = {
    "results/<run>": run,
    "<before>": run,
    "<after>": run,
    "<run>": run,
    "<name>": "published",
    results: join(folder, "results"),
    main: "HEAD",
    "react-ssr": "empty",
    "word-count": "empty",
    "html-template": "empty",
    "html-template,math": "empty",
  };
  return standIns[word] ?? word;
}

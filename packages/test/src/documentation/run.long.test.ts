// Commands of README.md and of the tutorials, run as they are typed, each bounded to seconds.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { signalGroup } from "@evenbench/host/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { evenbenchArguments, listPages, readCommands } from "./documented.ts";

const PAGES = ["README.md", "docs/first-run.md", "docs/adding-a-case.md", "docs/measure-your-own-app.md"];

const NOT_RUN: Readonly<Record<string, string>> = {
  "npm test": "it is what runs these tests",
  "npx pnpm -C": "it downloads a runtime; apps/bun and apps/deno have tests with what it installs",
  "npx opennextjs-cloudflare": "it builds an app that the reader has",
  "npx wrangler": "likewise",
  "npm run bench:self -- against": "it builds copies of the repository for minutes",
  "npm run bench:self -- findings": "it writes into README.md",
};
/** Commands that have tests with what they need: platforms, and a repository to write into. */
const TESTED_ELSEWHERE = ["deploy", "destroy", "dev", "new"];

const OWN_SERVER = join(import.meta.dirname, "../../test/documentation/own-server.mjs");
const ONE_TARGET = ["--target", "node"];

/** What bounds a command, or keeps what it writes apart. */
const ADDED: Readonly<Record<string, (args: readonly string[], out: string) => readonly string[]>> = {
  run(args, out) {
    const bounds = ["--no-build", "--time", "1s", "--trials", "1", "--out", out];
    const cold = args.includes("--cold") ? ["--cold", "1"] : [];
    const sweep = args.includes("--sweep") ? ["--sweep", "1s"] : [];
    if (args.includes("--path")) return bounds;
    const oneCase = args.includes("--case") ? [] : ["--case", "empty"];
    return [...bounds, ...cold, ...sweep, ...oneCase, ...ONE_TARGET];
  },
  against: (_args, out) => ["--no-build", "--time", "1s", "--out", out, ...ONE_TARGET],
  experiment: (_args, out) => ["--no-build", "--time", "1s", "--out", out],
  load: (_args, out) => ["--no-build", "--time", "1s", "--trials", "1", "--out", out, ...ONE_TARGET],
  preflight: () => ["--no-build"],
  profile: (_args, out) => ["--no-build", "--time", "500ms", "--out", out, ...ONE_TARGET],
  serve: () => ["--no-build", "--app", "bundle"],
  site: (_args, out) => ["--out", `${out}-gallery`],
};

const NO_BUILD = ["--no-build"];
const ADDED_TO_STUDIES: Readonly<Record<string, (out: string) => readonly string[]>> = {
  busy: () => [...NO_BUILD, "--time", "1s", "--trials", "1"],
  client: () => ["40"],
  coverage: (out) => ["20", "--out", `${out}-coverage.md`],
  "load-engines": () => [...NO_BUILD, "1", "1"],
  pool: () => ["--draws", "2", "--trials", "1", "--most", "0"],
  scale: () => ["400"],
  slowed: (out) => [...NO_BUILD, "trig", "--trials", "1", "--out", out],
};
const isStudy = (words: readonly string[]) => words.includes("bench:self");

function commandOf(words: readonly string[]): string | null {
  const args = evenbenchArguments(words);
  if (args === null) return null;
  const [first = ""] = args;
  return first === "" || first.startsWith("-") ? "run" : first;
}

const isRun = ({ words }: { readonly words: readonly string[] }) =>
  !Object.keys(NOT_RUN).some((begin) => words.join(" ").startsWith(begin)) &&
  !TESTED_ELSEWHERE.includes(commandOf(words) ?? "") &&
  !words.includes("--where");

const ofStudies = listPages()
  .flatMap(readCommands)
  .filter(({ words }) => isStudy(words));
const commands = new Map(
  [...PAGES.flatMap(readCommands), ...ofStudies]
    .filter(isRun)
    .map(({ place, words }) => [words.join(" "), { place, words }]),
);

let folder: string;
let run: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  const results = join(folder, "results");
  await mkdir(results);
  const small = ["--no-build", "--case", "empty", "--app", "bundle", "--time", "1s", "--trials", "2"];
  const { code, said } = await typed(["npm", "run", "bench", "--", ...small, "--out", results]);
  expect(code, said).toBe(0);
  const [name = ""] = (await readdir(results)).filter((file) => !file.startsWith("."));
  run = join(results, name);
});
afterAll(() => rm(folder, { recursive: true }));
const groups: number[] = [];
// What takes longer than a test may is not left to disturb those that follow.
afterEach(() => {
  for (const group of groups.splice(0)) signalGroup(group, "SIGKILL");
});

test.each([...commands].map(([line, { place, words }]) => [line, place, words] as const))(
  "%s (%s)",
  async (_line, _place, words) => {
    const command = commandOf(words) ?? "";
    const args = evenbenchArguments(words) ?? [];
    const out = join(folder, "out");
    const study = words.find((word) => isStudy(words) && word in ADDED_TO_STUDIES) ?? "";
    const bounds = args.includes("--help") ? [] : (ADDED[command]?.(args, out) ?? []);
    const added = isStudy(words) ? (ADDED_TO_STUDIES[study]?.(out) ?? []) : bounds;
    // npm keeps for itself what does not follow "--".
    const separator = words[0] === "npm" && !words.includes("--") && added.length > 0 ? ["--"] : [];
    const filled = words.map((word) => fillIn(word, command));
    const ready = command === "serve" ? /\(pid \d+/ : undefined;
    const { code, said } = await typed([...filled, ...separator, ...added], ready);
    // Package managers end by the signal, too: what counts is that every process of the group has ended.
    if (ready !== undefined) expect(said).toContain("Stopping all servers.");
    // What lasts a second cannot rule out a slowdown.
    else expect(words.includes("--fail-on") ? [0, 3] : [0], said).toContain(code);
    expect(said).not.toBe("");
  },
);

/**
 * At the head of a process group, with nobody at the keyboard. When it says that it is `ready`, it gets
 * Ctrl-C.
 */
async function typed(words: readonly string[], ready?: RegExp) {
  // In a sentence `evenbench` stands alone; it is the script of that name.
  const [tool = "", ...args] = words[0] === "evenbench" ? ["pnpm", ...words] : words;
  const PATH = [join(repositoryRoot, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const child = spawn(tool, args, {
    cwd: repositoryRoot,
    env: { ...process.env, PATH },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const group = child.pid ?? Number.NaN;
  groups.push(group);
  const ended = once(child, "close");
  let said = "";
  let isReady = false;
  const hear = (chunk: Buffer) => {
    said += chunk;
    if (isReady || ready?.test(said) !== true) return;
    isReady = true;
    signalGroup(group, "SIGINT");
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const [code] = (await ended) as [number | null];
  return { code, said };
}

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

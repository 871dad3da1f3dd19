import { execFile, execFileSync } from "node:child_process";
import { chownSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gitIn, testFolder } from "@evenbench/host/testing/folder";
import { beforeAll, expect, test } from "vitest";
import { findCommit, type Git } from "./find-commit.ts";

const run = promisify(execFile);
const place = testFolder();
const origin = join(place, "origin");
const address = pathToFileURL(origin).href;

/** The branches main and "it's odd", the tag v1 on main's first commit, and feature, which is ahead of main. */
beforeAll(() => {
  mkdirSync(origin);
  const git = gitIn(origin);
  git("init", "--quiet", "--initial-branch", "main");
  const commit = (text: string) => {
    writeFileSync(join(origin, "case.ts"), text);
    git("add", ".");
    git("commit", "--quiet", "--message", text);
  };
  commit("one");
  git("tag", "--annotate", "v1", "--message", "The first");
  commit("two");
  git("branch", "it's(odd)");
  git("checkout", "--quiet", "-b", "feature");
  commit("three");
  commit("four");
});

let clones = 0;

function clone(...options: string[]): string {
  clones += 1;
  const folder = join(place, `clone-${clones}`);
  execFileSync("git", ["clone", "--quiet", ...options, address, folder], { stdio: "pipe" });
  return folder;
}

const gitFor =
  (cwd: string, env: NodeJS.ProcessEnv = {}): Git =>
  async (...args) =>
    (await run("git", args, { cwd, env: { ...process.env, LC_ALL: "C", ...env } })).stdout.trim();

const find = (name: string, folder: string, env?: NodeJS.ProcessEnv) => findCommit(name, gitFor(folder, env));

const reasonFor = (name: string, folder: string, env?: NodeJS.ProcessEnv) =>
  find(name, folder, env).then(
    () => "It was found.",
    ({ message }: Error) => message,
  );

const shallow = () => clone("--depth", "1", "--branch", "feature");

test.each([
  ["a shallow clone of another branch", shallow, "main"],
  ["a shallow clone, by the name of the remote's branch", shallow, "origin/main"],
  ["a shallow clone without tags", shallow, "v1"],
  ["a shallow clone, of the commit before", shallow, "HEAD~1"],
  ["a clone of one branch", () => clone("--single-branch", "--branch", "feature"), "main"],
  ["a clone of one branch, of a name that a shell would take apart", shallow, "it's(odd)"],
  ["a shallow clone whose remote has another name", () => clone("--depth", "1", "-o", "up"), "main"],
  ["a shallow clone, by a hash", shallow, "the hash of main"],
  [
    "a shallow clone at no branch, as a CI has it",
    () => {
      const folder = shallow();
      gitIn(folder)("checkout", "--quiet", "--detach");
      return folder;
    },
    "HEAD~2",
  ],
])("what is missing in %s is found once the command that is printed has run", async (_, make, asked) => {
  const folder = make();
  const wanted = asked === "the hash of main" ? gitIn(origin)("rev-parse", "main") : asked;
  const reason = await reasonFor(wanted, folder);
  expect(reason).toMatch(/^git knows no commit ".*" here\. /);
  const [, remedy = ""] = /and run the same command again: (git fetch .*)$/.exec(reason) ?? [];
  execFileSync("bash", ["-c", remedy], { cwd: folder, stdio: "pipe" });
  const inOrigin = wanted.replace("HEAD", "feature").replace("origin/", "");
  const commit = gitIn(origin)("rev-parse", `${inOrigin}^{commit}`);
  expect(await find(wanted, folder)).toMatchObject({ commit });
});

test("fetching what is missing does not make a whole clone shallow", async () => {
  const folder = clone("--single-branch", "--branch", "feature");
  expect(await reasonFor("main", folder)).toMatch(/: git fetch origin main:refs\/remotes\/origin\/main$/);
});

test("a branch that only the remote has is found there, and a name that git knows is taken as it is", async () => {
  const folder = clone("--branch", "feature");
  const git = gitIn(folder);
  git("checkout", "--quiet", "--detach");
  const commit = git("rev-parse", "origin/main");
  expect(await find("main", folder)).toEqual({ commit, foundAs: "origin/main" });
  expect(await find("origin/main", folder)).toEqual({ commit, foundAs: null });
  expect(await find("v1", folder)).toEqual({ commit: git("rev-parse", "v1^{commit}"), foundAs: null });
});

test("a branch that two remotes have otherwise is asked for", async () => {
  const folder = clone("--branch", "feature");
  const git = gitIn(folder);
  git("update-ref", "refs/remotes/fork/main", git("rev-parse", "HEAD"));
  git("remote", "add", "fork", address);
  expect(await reasonFor("main", folder)).toMatch(/but origin\/main and fork\/main, which differ/);
  git("update-ref", "refs/remotes/fork/main", git("rev-parse", "origin/main"));
  expect(await find("main", folder)).toMatchObject({ foundAs: "origin/main" });
});

test.each([
  ["@{u}", /here: .+\. Name a branch/],
  ["HEAD:case.ts", /here\. Name a branch/],
  ["-x", /here\. Name a branch/],
  ["HEAD~9", /here\. Name a branch/],
  ["a..b", /here\. Name a branch/],
])("what git says of %s is quoted, and nothing is to be fetched", async (name, reason) => {
  const folder = clone();
  gitIn(folder)("checkout", "--quiet", "--detach");
  const said = await reasonFor(name, folder);
  expect(said).toMatch(reason);
  expect(said).not.toContain("git fetch");
});

test("an unpacked archive is no repository, and that is what is said", async () => {
  const folder = join(place, "archive");
  mkdirSync(folder);
  cpSync(join(origin, "case.ts"), join(folder, "case.ts"));
  const reason = await reasonFor("main", folder, { GIT_CEILING_DIRECTORIES: place });
  expect(reason).toMatch(/^git cannot read the repository here: not a git repository .*Clone the repository/);
});

test("without git one line says so", async () => {
  expect(await reasonFor("main", clone(), { PATH: place })).toMatch(/^git is not installed here/);
});

test.skipIf(process.getuid?.() !== 0)(
  "a repository of somebody else is read once what is printed has run",
  async () => {
    const folder = clone();
    chownSync(folder, 65534, 65534);
    const home = { HOME: join(place, "home"), XDG_CONFIG_HOME: undefined };
    mkdirSync(home.HOME);
    const reason = await reasonFor("main", folder, home);
    expect(reason).toMatch(
      /^git cannot read the repository here: detected dubious ownership in repository at/,
    );
    const [, remedy = ""] = /If you trust whoever owns it, run: (.*)$/.exec(reason) ?? [];
    execFileSync("bash", ["-c", remedy], { env: { ...process.env, ...home } });
    expect(await find("origin/main", folder, home)).toMatchObject({ foundAs: null });
  },
);

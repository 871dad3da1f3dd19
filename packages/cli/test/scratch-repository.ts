import { execFile } from "node:child_process";
import { cp, link, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@evenbench/host";
import { type Ended, type StartedProgram, start } from "./evenbench.ts";

const run = promisify(execFile);
const CLI = "packages/cli/evenbench.ts";
const env = { ...process.env, PATH: `${join(repositoryRoot, "node_modules/.bin")}:${process.env.PATH}` };

/** A copy of this repository in a folder of its own, which is removed when the copy is disposed of. */
export interface ScratchRepository extends AsyncDisposable {
  /** Absolute path of the copy. */
  readonly root: string;
  /** Runs git in the copy, and gives what it wrote to stdout. */
  git(...args: string[]): Promise<string>;
  /** Writes a file, by its path in the copy, with the folders above it. */
  write(file: string, text: string): Promise<void>;
  /** Runs a tool of the original's node_modules/.bin in the copy. */
  run(tool: string, ...args: string[]): Promise<void>;
  /** Starts the copy's command line. */
  start(...args: string[]): StartedProgram;
  /** Runs the copy's command line to its end. */
  evenbench(...args: string[]): Promise<Ended>;
  /** Gives a folder the installed packages of another one, as an install does. */
  install(folder: string, like: string): Promise<void>;
}

/** The cases that a copy has: what builds all of them is tested where they are, and each takes part in every build. */
const CASES_KEPT = ["empty", "payload", "react-ssr", "trig"];

const LINKS = { recursive: true, verbatimSymlinks: true };

/** Makes a copy of this repository with a few of its cases, committed once. Installed packages are the original's. */
export async function scratchRepository(): Promise<ScratchRepository> {
  const root = await mkdtemp(join(tmpdir(), "evenbench-repository-"));
  const git = async (...args: string[]) => {
    const settings = ["user.name=test", "user.email=test@localhost", "commit.gpgsign=false"];
    const identity = settings.flatMap((setting) => ["-c", setting]);
    return (await run("git", [...identity, ...args], { cwd: root })).stdout;
  };
  const listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await run("git", listing, { cwd: repositoryRoot, maxBuffer: 2 ** 24 });
  const all = stdout.split("\0").filter((file) => file !== "");
  const cases = all.filter((file) => /^packages\/cases\/[^/]+\/case\.ts$/.test(file)).map(dirname);
  const left = cases.filter((folder) => !CASES_KEPT.includes(basename(folder)));
  const files = all.filter((file) => !left.some((folder) => file.startsWith(`${folder}/`)));
  // A file that was removed and is not committed as such is listed, too.
  await Promise.all(files.map((file) => cp(join(repositoryRoot, file), join(root, file)).catch(unlessGone)));
  const packages = files.filter((file) => /^(?:(apps|packages)\/.*)?package\.json$/.test(file)).map(dirname);
  await Promise.all(packages.map((folder) => copyLinks(folder, root)));
  await symlink(join(repositoryRoot, "node_modules/.pnpm"), join(root, "node_modules/.pnpm"));
  await linkBuilds(root);
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=Everything");
  return {
    root,
    git,
    async write(file: string, text: string) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), text);
    },
    async run(tool: string, ...args: string[]) {
      await run(join(repositoryRoot, "node_modules/.bin", tool), args, { cwd: root });
    },
    start: (...args: string[]) => start(args, { cwd: root, env, file: join(root, CLI) }),
    evenbench: (...args: string[]): Promise<Ended> =>
      start(args, { cwd: root, env, file: join(root, CLI) }).ended,
    install: (folder: string, like: string) =>
      cp(join(root, like, "node_modules"), join(root, folder, "node_modules"), LINKS),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** Copies the links among installed packages, which are relative: a runtime of 100 MB counts as not installed. */
async function copyLinks(folder: string, root: string): Promise<void> {
  const from = join(repositoryRoot, folder, "node_modules");
  const filter = (path: string) => !/^\.(?:pnpm|cache|vite.*)$/.test(basename(path));
  await cp(from, join(root, folder, "node_modules"), { ...LINKS, filter }).catch(unlessGone);
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") {
    throw error;
  }
}

const BUILDS = ".turbo/cache";

async function linkBuilds(root: string): Promise<void> {
  await mkdir(join(root, BUILDS), { recursive: true });
  for (const name of await readdir(join(repositoryRoot, BUILDS)).catch(() => [])) {
    // A folder on another file system has no links to here: there it is built.
    await link(join(repositoryRoot, BUILDS, name), join(root, BUILDS, name)).catch(() => {});
  }
}

import { execFile } from "node:child_process";
import { cp, link, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@evenbench/host";
import { type Ended, start } from "./evenbench.ts";

const run = promisify(execFile);
const env = { ...process.env, PATH: `${join(repositoryRoot, "node_modules/.bin")}:${process.env.PATH}` };

export interface ScratchRepository extends AsyncDisposable {
  readonly root: string;
  git(...args: string[]): Promise<string>;
  write(file: string, text: string): Promise<void>;
  run(tool: string, ...args: string[]): Promise<void>;
  evenbench(...args: string[]): Promise<Ended>;
  /** As an install does. */
  install(folder: string, like: string): Promise<void>;
}

/**
 * A copy of this repository as it is on disk now, committed once. Installed packages are the original's,
 * those of the workspace its own.
 */
export async function scratchRepository(): Promise<ScratchRepository> {
  const root = await mkdtemp(join(tmpdir(), "evenbench-repository-"));
  const git = async (...args: string[]) => {
    const settings = ["user.name=test", "user.email=test@localhost", "commit.gpgsign=false"];
    const identity = settings.flatMap((setting) => ["-c", setting]);
    return (await run("git", [...identity, ...args], { cwd: root })).stdout;
  };
  const listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await run("git", listing, { cwd: repositoryRoot, maxBuffer: 2 ** 24 });
  const files = stdout.split("\0").filter((file) => file !== "");
  for (const file of files) {
    // A file that was removed and is not committed as such is listed, too.
    await cp(join(repositoryRoot, file), join(root, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  const packages = files.filter((file) => /^(apps|packages)\/.*package\.json$/.test(file)).map(dirname);
  await Promise.all(packages.map((folder) => copyLinks(folder, root)));
  await linkInstalled(root);
  await linkBuilds(root);
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=Everything");
  return {
    root,
    git,
    async write(file, text) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), text);
    },
    async run(tool, ...args) {
      await run(join(repositoryRoot, "node_modules/.bin", tool), args, { cwd: root });
    },
    evenbench: (...args) =>
      start(args, { cwd: root, env, file: join(root, "packages/cli/evenbench.ts") }).ended,
    install: (folder, like) => install(root, folder, like),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** Links alone: a runtime, which weighs 100 MB, counts as not installed. */
async function copyLinks(folder: string, root: string): Promise<void> {
  const from = join(repositoryRoot, folder, "node_modules");
  const filter = (path: string) => basename(path) !== ".pnpm";
  const options = { recursive: true, verbatimSymlinks: true, filter };
  await cp(from, join(root, folder, "node_modules"), options).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** What is found by relative paths must lead to the copy's own. */
const RELATIVE = [".bin", "@evenbench"];

const KEPT = ".cache";

/** The folder around it is the copy's own, so that git ignores it. */
async function linkInstalled(root: string): Promise<void> {
  const from = join(repositoryRoot, "node_modules");
  const to = join(root, "node_modules");
  await mkdir(to);
  for (const name of await readdir(from)) {
    if (name === KEPT) continue;
    if (RELATIVE.includes(name))
      await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else await symlink(join(from, name), join(to, name));
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

async function install(root: string, folder: string, like: string): Promise<void> {
  const options = { recursive: true, verbatimSymlinks: true };
  await cp(join(root, like, "node_modules"), join(root, folder, "node_modules"), options);
}

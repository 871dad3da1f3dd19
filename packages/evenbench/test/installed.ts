import { type ExecFileException, execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const DIST = join(import.meta.dirname, "../dist");

/** The end of a program. */
interface EndedProgram {
  /** The exit code, or the code of an error of starting; null where a signal ended it. */
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The package, installed as npm installs it from the registry. */
export interface Installed {
  /** Absolute path of the folder that holds the tarball and `folder`. */
  readonly scratch: string;
  /** Absolute path of the folder that the package is installed in. */
  readonly folder: string;
  /** Absolute path of what `npm publish` would upload. */
  readonly tarball: string;
  /** Runs a program in `folder`, with a Node.js first on its PATH. */
  run(node: string, command: string, ...args: readonly string[]): Promise<EndedProgram>;
  /** Runs a program in another folder, by the Node.js of this process, with further variables. */
  runIn(
    cwd: string,
    variables: Readonly<Record<string, string>>,
    command: string,
    ...args: readonly string[]
  ): Promise<EndedProgram>;
  /** Runs the package's command line in `folder`, by a Node.js. */
  evenbench(node: string, ...args: readonly string[]): Promise<EndedProgram>;
}

/** Packs what `npm publish` would upload, and installs it into an empty folder. */
export async function install(): Promise<Installed> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "evenbench-package-")));
  const folder = join(scratch, "empty");
  await mkdir(folder);
  await run("npm", ["pack", "--pack-destination", scratch], { cwd: DIST });
  const [name = ""] = (await readdir(scratch)).filter((file) => file.endsWith(".tgz"));
  const tarball = join(scratch, name);
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: folder });

  async function runBy(
    node: string,
    cwd: string,
    variables: Readonly<Record<string, string>>,
    command: string,
    args: readonly string[],
  ): Promise<EndedProgram> {
    const PATH = [dirname(node), process.env.PATH].join(delimiter);
    const own = { PATH, npm_config_offline: "true", XDG_CACHE_HOME: join(folder, ".cache") };
    // pnpm, which runs this test, names all packages of the clone in it: a user of the package has none of them.
    const env = { ...process.env, NODE_PATH: "", ...own, ...variables };
    try {
      return { code: 0, ...(await run(command, args, { cwd, env, encoding: "utf8" })) };
    } catch (error) {
      const { code = null, stdout = "", stderr = "" } = error as Partial<ExecFileException>;
      return { code, stdout: String(stdout), stderr: String(stderr) };
    }
  }
  const cli = join(folder, "node_modules/evenbench/cli.js");
  return {
    scratch,
    folder,
    tarball,
    run: (node, command, ...args) => runBy(node, folder, {}, command, args),
    runIn: (cwd, variables, command, ...args) => runBy(process.execPath, cwd, variables, command, args),
    evenbench: (node, ...args) => runBy(node, folder, {}, node, [cli, ...args]),
  };
}

/** Finds Node.js: the first of each major version that is in PATH and that the package runs on, and the one that runs. */
export async function nodes(): Promise<readonly (readonly [version: string, file: string])[]> {
  const found = new Map<number, readonly [string, string]>();
  const files = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"));
  for (const file of [process.execPath, ...files]) {
    const version = await run(file, ["--version"]).then(
      ({ stdout }) => stdout.trim(),
      () => "",
    );
    const [, major = 0, minor = 0] = (/^v(\d+)\.(\d+)\./.exec(version) ?? []).map(Number);
    const isNewEnough = major > 22 || (major === 22 && minor >= 19);
    if (isNewEnough && !found.has(major)) {
      found.set(major, [version, file]);
    }
  }
  return [...found.values()];
}

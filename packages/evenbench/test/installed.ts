import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const DIST = join(import.meta.dirname, "../dist");

export interface Ended {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Installed implements AsyncDisposable {
  readonly folder: string;
  readonly tarball: string;

  private constructor(folder: string, tarball: string) {
    this.folder = folder;
    this.tarball = tarball;
  }

  static async make(): Promise<Installed> {
    const scratch = await realpath(await mkdtemp(join(tmpdir(), "evenbench-package-")));
    const folder = join(scratch, "empty");
    await mkdir(folder);
    await run("npm", ["pack", "--pack-destination", scratch], { cwd: DIST });
    const [name = ""] = (await readdir(scratch)).filter((file) => file.endsWith(".tgz"));
    const tarball = join(scratch, name);
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: folder });
    return new Installed(folder, tarball);
  }

  async run(node: string, command: string, ...args: readonly string[]): Promise<Ended> {
    const PATH = [dirname(node), process.env.PATH].join(delimiter);
    const env = {
      ...process.env,
      PATH,
      npm_config_offline: "true",
      XDG_CACHE_HOME: join(this.folder, ".cache"),
    };
    try {
      return { code: 0, ...(await run(command, args, { cwd: this.folder, env })) };
    } catch (error) {
      const { code = null, stdout = "", stderr = "" } = error as Partial<Ended>;
      return { code, stdout, stderr };
    }
  }

  evenbench(node: string, ...args: readonly string[]): Promise<Ended> {
    return this.run(node, node, join(this.folder, "node_modules/evenbench/cli.js"), ...args);
  }

  async copyRun(run: string, name: string): Promise<void> {
    await cp(run, join(this.folder, name), { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(dirname(this.folder), { recursive: true });
  }
}

/** The first of each major version from 20 on that is on the path, and the one that runs. */
export async function nodes(): Promise<readonly (readonly [version: string, file: string])[]> {
  const found = new Map([[majorOf(process.version), [process.version, process.execPath] as const]]);
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const file = join(folder, "node");
    const asked = await run(file, ["--version"]).catch(() => null);
    const version = asked?.stdout.trim() ?? "";
    if (majorOf(version) >= 20 && !found.has(majorOf(version))) found.set(majorOf(version), [version, file]);
  }
  return [...found.values()];
}

function majorOf(version: string): number {
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);
}

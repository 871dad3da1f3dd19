import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildFailure, type BuildRecord, type Platform, reasonOf, withQuotes } from "@evenbench/core";
import { buildRecord } from "@evenbench/core/schema";
import {
  discoverPlatforms,
  type LeftOut,
  repositoryRoot,
  runProgram,
  scratchFolder,
  toolEnvironment,
} from "@evenbench/host";
import { exclusively } from "@evenbench/host/exclusively";
import { type BuildOptions as EsbuildOptions, build as esbuild } from "esbuild";
import { artifactDirectory, readJson } from "../manifest.ts";
import { renameIfThere, replaceFolder } from "../replace-folder.ts";
import { runtimeModules } from "../runtime-modules.ts";
import { mapsFile } from "./source-maps.ts";

/** The subject of a build: an app, for a platform, into a folder. */
export interface BuildTask {
  /** The app's id. */
  readonly app: string;
  /** The platform's id. */
  readonly platform: string;
  /** Absolute path of the deployable. */
  readonly deployable: string;
}

/**
 * Builds a deployable aside by `work`, checks that it starts, puts it in place when whole, and writes its time and
 * size, or its failure, beside it. Where it fails, the one before stays. Builds of one app wait for each other.
 *
 * @param work builds into the folder that it is given.
 * @returns whether it was built.
 */
export function recordBuild(
  task: BuildTask,
  work: (build: Build, place: string) => Promise<void>,
): Promise<boolean> {
  return exclusively(lockOf(dirname(task.deployable)), () => recordAlone(task, work));
}

/** Names the lock of all builds into one folder. */
export function lockOf(dist: string): string {
  return join(dist, ".building.lock");
}

async function recordAlone(
  { app, platform, deployable }: BuildTask,
  work: (build: Build, place: string) => Promise<void>,
): Promise<boolean> {
  const logFile = `${deployable}.log`;
  // The same name each time, and as deep as the place: tools write both into what they make.
  const aside = join(dirname(deployable), `.building-${basename(deployable)}`);
  const outputs = [aside, recordFile(aside), mapsFile(aside)];
  const remove = () => Promise.all(outputs.map((path) => rm(path, { recursive: true, force: true })));
  await remove();
  await forgetFailure(deployable);
  await mkdir(dirname(deployable), { recursive: true });
  await writeFile(logFile, "");
  let step = "prepare";
  try {
    const begun = performance.now();
    await work(async (name, command, options) => {
      step = name;
      await runStep(name, command, options, logFile);
      step = "pack";
    }, aside);
    const ms = performance.now() - begun;
    step = "close";
    const found = await findPlatform(platform);
    await found.close(aside);
    step = "size";
    const { TURBO_HASH: sources } = process.env;
    await writeRecord(recordFile(aside), { ms, size: await found.size(aside), sources });
    step = "start";
    await seeThatItStarts(found, aside);
    await putInPlace(aside, deployable);
    return true;
  } catch (error) {
    const said = withQuotes(reasonOf(error));
    const lastLines = error instanceof StepFailed ? error.lastLines : said.split("\n");
    const failure = {
      what: `${app} for ${platform}`,
      step,
      lastLines,
      logFile: relative(repositoryRoot, logFile),
    };
    await writeRecord(failureFile(deployable), failure);
    console.error(`${failure.what}: ${said}`);
    return false;
  } finally {
    await remove();
  }
}

/** Checks that a deployable starts: what a tool made may not run. @throws {Error} with the end of the server's log. */
async function seeThatItStarts(platform: Platform, deployable: string): Promise<void> {
  if ((platform.missing?.() ?? null) !== null) {
    return;
  }
  await using scratch = await scratchFolder("build");
  const settings = { cores: null, workers: 1, v8Flags: [] };
  const logFile = join(scratch.path, "start.log");
  const host = await platform.serve({ ...settings, deployable, port: 0, logFile });
  await host.stop();
}

async function putInPlace(aside: string, deployable: string): Promise<void> {
  await replaceFolder(aside, deployable, `${aside}.before`);
  // An app need not have maps, and those of the build before are not its own.
  await rm(mapsFile(deployable), { force: true });
  await renameIfThere(mapsFile(aside), mapsFile(deployable));
  await rename(recordFile(aside), recordFile(deployable));
}

/** Number of a failed step's last lines that are kept. */
const LINES_KEPT = 40;

class StepFailed extends Error {
  readonly lastLines: readonly string[];

  constructor(step: string, how: string, lastLines: readonly string[]) {
    super(`${step} ${how}:\n${lastLines.join("\n")}`);
    this.lastLines = lastLines;
  }
}

/** Runs a tool of a build, as {@link runStep} does. */
export type Build = (
  name: string,
  command: readonly [file: string, ...args: string[]],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
) => Promise<void>;

/**
 * Runs a tool of a build to its end.
 *
 * @param name how messages name the step: "next build".
 * @param logFile takes what it writes. Default: nothing does.
 * @throws {Error} where it fails, with its last lines.
 */
export async function runStep(
  name: string,
  command: readonly [file: string, ...args: string[]],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  logFile?: string,
): Promise<void> {
  const { failure, output } = await runProgram({
    command,
    cwd: options.cwd,
    env: toolEnvironment(options.env),
  });
  if (logFile !== undefined) {
    await appendFile(logFile, `$ ${name}\n${output}\n`);
  }
  if (failure !== null) {
    throw new StepFailed(name, failure, output.trimEnd().split("\n").slice(-LINES_KEPT));
  }
}

async function findPlatform(id: string): Promise<Platform> {
  const leftOut: LeftOut[] = [];
  const platforms = await discoverPlatforms(repositoryRoot, (entry) => leftOut.push(entry));
  const found = platforms.find((platform) => platform.id === id);
  if (found !== undefined) {
    return found;
  }
  const broken = leftOut.find(({ path }) => path === join("apps", id, "platform.ts"));
  throw new Error(broken?.reason ?? `There is no platform "${id}".`);
}

function recordFile(deployable: string): string {
  return `${deployable}.build.json`;
}

function failureFile(deployable: string): string {
  return `${deployable}.failed.json`;
}

/** What is kept of a deployable's build beside it. */
interface KeptRecord extends BuildRecord {
  /** turbo's hash of all that it was built of. Not there: it was not turbo that built it. */
  readonly sources?: string | undefined;
}

/** Reads what is kept of a deployable's build; null where there is nothing, or an earlier version wrote it. */
export async function readBuildRecord(deployable: string): Promise<BuildRecord | null> {
  const { sources: _, ...record } = (await readJson<KeptRecord>(recordFile(deployable))) ?? {};
  return buildRecord.safeParse(record).data ?? null;
}

/** Reads turbo's hash of all that a deployable was built of; null where that is not known. */
export async function readBuiltSources(deployable: string): Promise<string | null> {
  return (await readJson<KeptRecord>(recordFile(deployable)))?.sources ?? null;
}

/** Reads why a deployable's last build failed; null where it did not. */
export function readBuildFailure(deployable: string): Promise<BuildFailure | null> {
  return readJson(failureFile(deployable));
}

/** Removes the note of a build that failed: a cached build does not run, and would leave it. */
export async function forgetFailure(deployable: string): Promise<void> {
  await rm(failureFile(deployable), { force: true });
}

/** Notes the time and size of a deployable that was built in another way than by `recordBuild`. */
export async function writeBuildRecord(deployable: string, record: BuildRecord): Promise<void> {
  await writeRecord(recordFile(deployable), record);
}

async function writeRecord(file: string, content: KeptRecord | BuildFailure): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** Builds a platform's deployable of the handler cases. */
export type BundleBuilder = (build: {
  /** Absolute path of the artifact. */
  readonly artifactDirectory: string;
  /** The folder that becomes the deployable; it is emptied. */
  readonly outDirectory: string;
  /** Runs the platform's tools. Default: `runStep`. */
  readonly record?: Build;
}) => Promise<void>;

/** Loads the builder of a platform, from its build.ts. @throws {Error} where it has none. */
export async function bundleBuilder(platform: Platform["id"]): Promise<BundleBuilder> {
  const file = join(repositoryRoot, "apps", platform, "build.ts");
  if (!existsSync(file)) {
    throw new Error(`${file} is missing: it must export buildDeployable.`);
  }
  const module: { buildDeployable: BundleBuilder } = await import(pathToFileURL(file).href);
  return module.buildDeployable;
}

/** Makes the builder of a platform by `work`, and builds at once where its build.ts was started by `node build.ts`. */
export async function buildBundle(
  { dirname, filename }: ImportMeta,
  work: (artifact: string, deployable: string, build: Build) => Promise<void>,
): Promise<BundleBuilder> {
  const builder: BundleBuilder = async ({ artifactDirectory, outDirectory, record = runStep }) => {
    await rm(outDirectory, { recursive: true, force: true });
    await mkdir(outDirectory, { recursive: true });
    await work(artifactDirectory, outDirectory, record);
  };
  if (process.argv[1] === filename) {
    const deployable = join(dirname, "dist/deployable");
    const task = { app: "bundle", platform: basename(dirname), deployable };
    const built = await recordBuild(task, (record, outDirectory) =>
      builder({ artifactDirectory, outDirectory, record }),
    );
    if (!built) {
      process.exitCode = 1;
    }
  }
  return builder;
}

/** Makes the builder of a platform that runs the artifact beside modules of its own. @param modules files by name. */
export function buildServer(
  meta: ImportMeta,
  modules: Readonly<Record<string, string>> = { server: "src/server.ts", handler: "src/handler.mts" },
  define: Record<string, string> = {},
): Promise<BundleBuilder> {
  return buildBundle(meta, async (artifact, deployable) => {
    await cp(artifact, join(deployable, "artifact"), { recursive: true });
    await bundleEntries(meta.dirname, deployable, modules, { define });
  });
}

interface EntryOptions extends Pick<EsbuildOptions, "define" | "platform" | "target"> {
  /** The folder of the artifact, from the modules on. Default: "artifact". */
  readonly artifact?: string;
}

/** Bundles modules, each as "<name>.mjs". They import each other, and the artifact beside them, as they are. */
export async function bundleEntries(
  folder: string,
  outdir: string,
  modules: Readonly<Record<string, string>>,
  { artifact = "artifact", ...options }: EntryOptions = {},
): Promise<void> {
  await esbuild({
    absWorkingDir: folder,
    entryPoints: { ...modules },
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    alias: { "#behind/artifact": `./${artifact}/index.mjs` },
    external: [`./${artifact}/*`, ...Object.keys(modules).map((name) => `./${name}.mjs`)],
    plugins: [runtimeModules],
    format: "esm",
    platform: "node",
    target: "node22",
    logLevel: "warning",
    ...options,
  });
}

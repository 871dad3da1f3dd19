import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildFailure, type BuildRecord, messageOf, type Platform } from "@evenbench/core";
import { buildRecord } from "@evenbench/core/schema";
import { discoverPlatforms, type LeftOut, repositoryRoot, runProgram } from "@evenbench/host";
import { type BuildOptions as EsbuildOptions, build as esbuild } from "esbuild";
import { artifactDirectory, readJson } from "../manifest.ts";
import { mapsFile } from "./source-maps.ts";

export interface BuildTask {
  readonly app: string;
  readonly platform: string;
  readonly deployable: string;
}

/** Builds and closes a deployable, and leaves beside it its time and size, or why it failed. */
export async function recordBuild(task: BuildTask, work: (build: Build) => Promise<void>): Promise<boolean> {
  const { app, platform, deployable } = task;
  const logFile = `${deployable}.log`;
  const outputs = [deployable, ...[recordFile, failureFile, mapsFile].map((fileOf) => fileOf(deployable))];
  await Promise.all(outputs.map((path) => rm(path, { recursive: true, force: true })));
  await mkdir(dirname(deployable), { recursive: true });
  await writeFile(logFile, "");
  let step = "prepare";
  try {
    const begun = performance.now();
    await work(async (name, command, options) => {
      step = name;
      await runStep(name, command, options, logFile);
      step = "pack";
    });
    const ms = performance.now() - begun;
    step = "close";
    const found = await findPlatform(platform);
    await found.close(deployable);
    step = "size";
    await writeJson(recordFile(deployable), { ms, size: await found.size(deployable) });
    return true;
  } catch (error) {
    const lastLines = error instanceof StepFailed ? error.lastLines : [String(error)];
    const failure = {
      ...{ what: `${app} for ${platform}`, step, lastLines },
      logFile: relative(repositoryRoot, logFile),
    };
    await writeJson(failureFile(deployable), failure);
    console.error(`${failure.what}: ${messageOf(error)}`);
    return false;
  }
}

const LINES_KEPT = 40;

class StepFailed extends Error {
  readonly lastLines: readonly string[];

  constructor(step: string, how: string, lastLines: readonly string[]) {
    super(`${step} ${how}:\n${lastLines.join("\n")}`);
    this.lastLines = lastLines;
  }
}

export type Build = typeof runStep;

/** Runs a tool of a build to its end. */
export async function runStep(
  name: string,
  command: readonly [file: string, ...args: string[]],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  logFile?: string,
): Promise<void> {
  const { failure, output } = await runProgram({ command, ...options });
  if (logFile !== undefined) await appendFile(logFile, `$ ${name}\n${output}\n`);
  if (failure !== null) throw new StepFailed(name, failure, output.trimEnd().split("\n").slice(-LINES_KEPT));
}

async function findPlatform(id: string): Promise<Platform> {
  const leftOut: LeftOut[] = [];
  const platforms = await discoverPlatforms(repositoryRoot, (entry) => leftOut.push(entry));
  const found = platforms.find((platform) => platform.id === id);
  if (found !== undefined) return found;
  const broken = leftOut.find(({ path }) => path === join("apps", id, "platform.ts"));
  throw new Error(broken?.reason ?? `There is no platform "${id}".`);
}

const recordFile = (deployable: string) => `${deployable}.build.json`;
const failureFile = (deployable: string) => `${deployable}.failed.json`;

/** One that an earlier version wrote says nothing. */
export async function readBuildRecord(deployable: string): Promise<BuildRecord | null> {
  return buildRecord.safeParse(await readJson(recordFile(deployable))).data ?? null;
}

export function readBuildFailure(deployable: string): Promise<BuildFailure | null> {
  return readJson(failureFile(deployable));
}

/** A cached build does not run, and would leave the file of an earlier one. */
export async function forgetFailure(deployable: string): Promise<void> {
  await rm(failureFile(deployable), { force: true });
}

async function writeJson(file: string, content: BuildRecord | BuildFailure): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

export type BundleBuilder = (build: {
  readonly artifactDirectory: string;
  readonly outDirectory: string;
  readonly record?: Build;
}) => Promise<void>;

export async function bundleBuilder(platform: Platform["id"]): Promise<BundleBuilder> {
  const file = join(repositoryRoot, "apps", platform, "build.ts");
  if (!existsSync(file)) throw new Error(`${file} is missing: it must export buildDeployable.`);
  const module: { buildDeployable: BundleBuilder } = await import(pathToFileURL(file).href);
  return module.buildDeployable;
}

/** `node build.ts`, and what other code builds by: of any artifact, into any folder. */
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
    const built = await recordBuild(task, (record) =>
      builder({ artifactDirectory, outDirectory: deployable, record }),
    );
    if (!built) process.exitCode = 1;
  }
  return builder;
}

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
  /** The folder of the artifact. */
  readonly artifact?: string;
}

/** Writes each module as "<name>.mjs". They import each other, and the artifact beside them, as they are. */
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
    external: ["cloudflare:*", `./${artifact}/*`, ...Object.keys(modules).map((name) => `./${name}.mjs`)],
    format: "esm",
    platform: "node",
    target: "node22",
    logLevel: "warning",
    ...options,
  });
}

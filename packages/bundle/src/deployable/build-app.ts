import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isAlive } from "@evenbench/host";
import { type Build, recordBuild, unrecorded } from "./build.ts";

export type Builder = (source: string, deployable: string, build: Build) => Promise<void>;

export interface FrameworkBuild<Platform extends string> {
  /** What the framework and its adapters write into the app's folder: removed before and after. */
  readonly outputs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What builds, by platform: a name and a version, which `/identity` names. */
  readonly builtWith: Readonly<Record<Platform, string>>;
  readonly builders: Readonly<
    Record<
      Platform,
      (source: string, deployable: string, build: Build, env: Record<string, string>) => Promise<void>
    >
  >;
}

/** `node build.ts <platform>`. Frameworks write into the app's own folder: one build at a time. */
export async function buildApp<Platform extends string>(
  { dirname: folder, filename }: ImportMeta,
  { outputs, env, builtWith, builders }: FrameworkBuild<Platform>,
): Promise<Readonly<Record<Platform, Builder>>> {
  const cleaned = (platform: Platform): Builder => {
    const ofBuild = {
      NODE_ENV: "production",
      EVENBENCH_PLATFORM: platform,
      BUILT_WITH: builtWith[platform],
      PATH: join(folder, "node_modules/.bin") + delimiter + process.env.PATH,
      ...env,
    };
    return async (source, deployable, build) => {
      const clean = () =>
        Promise.all(outputs.map((output) => rm(join(source, output), { recursive: true, force: true })));
      await clean();
      await builders[platform](source, deployable, build, ofBuild);
      await clean();
    };
  };
  const platforms = Object.keys(builders) as Platform[];
  const all = Object.fromEntries(platforms.map((platform) => [platform, cleaned(platform)]));
  if (process.argv[1] === filename) {
    const [, , platform = ""] = process.argv;
    process.exitCode = await buildHere(folder, platform, all);
  }
  return all as Record<Platform, Builder>;
}

async function buildHere(
  folder: string,
  platform: string,
  builders: Readonly<Record<string, Builder>>,
): Promise<0 | 1> {
  const builder = builders[platform];
  if (builder === undefined) {
    console.error(`Give a platform to build for: ${Object.keys(builders).join(", ")}.`);
    return 1;
  }
  const task = { app: basename(folder), platform, deployable: join(folder, "dist", platform) };
  // From its first step on, which removes the old deployable: `vercel build` reads the whole folder.
  const built = await exclusively(join(folder, "dist/.building"), () =>
    recordBuild(task, (record) => builder(folder, task.deployable, record)),
  );
  return built ? 0 : 1;
}

export interface Alteration {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export interface AlteredBuild {
  readonly app: string;
  readonly sources: readonly string[];
  readonly alterations: readonly Alteration[];
  readonly builder: Builder;
  readonly deployable: string;
}

export async function buildAlteredApp(build: AlteredBuild): Promise<void> {
  const { app, sources, alterations, builder, deployable } = build;
  await mkdir(join(app, "dist"), { recursive: true });
  const folder = await mkdtemp(join(app, "dist/altered-"));
  try {
    const source = join(folder, "source");
    for (const name of sources) await cp(join(app, name), join(source, name), { recursive: true });
    const root = { file: "tsconfig.json", from: "../../tsconfig.json", to: "../../../../../tsconfig.json" };
    const moved = sources.includes(root.file) ? [root] : [];
    for (const { file, from, to } of [...moved, ...alterations]) {
      const text = await readFile(join(source, file), "utf8");
      if (!text.includes(from)) throw new Error(`${file} has no "${from}" to be replaced.`);
      await writeFile(join(source, file), text.replace(from, to));
    }
    await builder(source, deployable, unrecorded);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const POLL_MS = 200;
const MOST_POLLS = 3000;
const TAKING_MS = 60_000;

/** Two builds in one app's folder would overwrite each other's files. */
export async function exclusively<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(lockFile), { recursive: true });
  for (let poll = 0; !(await take(lockFile)); poll++) {
    if (poll === MOST_POLLS) throw new Error(`Another build has held ${lockFile} for ten minutes. End it.`);
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lockFile, { force: true });
  }
}

async function take(lockFile: string): Promise<boolean> {
  try {
    await writeFile(lockFile, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  if (isLeftBehind(lockFile)) removeLeftBehind(lockFile);
  return false;
}

/** Of several that wait one alone looks again and removes it: the others might remove a new holder's. */
function removeLeftBehind(lockFile: string): void {
  const taking = `${lockFile}.taking`;
  try {
    writeFileSync(taking, "", { flag: "wx" });
  } catch {
    // Held for less than a millisecond, but by a process that was killed just then.
    const made = statSync(taking, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - made > TAKING_MS) rmSync(taking, { force: true });
    return;
  }
  try {
    if (isLeftBehind(lockFile)) rmSync(lockFile, { force: true });
  } finally {
    rmSync(taking, { force: true });
  }
}

/** An empty one was just made. */
function isLeftBehind(lockFile: string): boolean {
  try {
    const holder = Number(readFileSync(lockFile, "utf8"));
    return holder > 0 && !isAlive(holder);
  } catch {
    return false;
  }
}

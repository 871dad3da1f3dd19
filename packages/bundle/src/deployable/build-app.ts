import { rm } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";
import { type Build, recordBuild } from "./build.ts";
import { exclusively } from "./exclusive.ts";

/** Makes a deployable of the app in a folder. Leaves only the deployable behind. */
export type Builder = (source: string, deployable: string, build: Build) => Promise<void>;

/** How a framework's app is built, for each platform. */
export interface FrameworkBuild<Platform extends string> {
  /** What the framework and its adapters write into the app's folder: removed before and after. */
  readonly outputs: readonly string[];
  /** Beside what every build has. */
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

/**
 * The builders of an app. Where its build.ts is the program, `node build.ts <platform>` makes a deployable.
 * Frameworks write into the app's own folder, whichever platform they build for: one build at a time.
 */
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

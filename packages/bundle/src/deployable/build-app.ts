import { join } from "node:path";
import type { AppDefinition } from "@evenbench/core";
import { type Build, recordBuild } from "./build.ts";
import { exclusively } from "./exclusive.ts";

/** Makes a deployable of the app in a folder. Leaves only the deployable behind. */
export type Builder = (source: string, deployable: string, build: Build) => Promise<void>;

/**
 * Builds an app's deployable for one platform. Frameworks write into the app's own folder, whichever platform
 * they build for: one build at a time.
 */
export async function buildApp(
  app: AppDefinition,
  folder: string,
  builders: Readonly<Record<string, Builder>>,
  platform: string,
): Promise<0 | 1> {
  const builder = builders[platform];
  const deployable = app.deployable(platform);
  if (builder === undefined || deployable === null) {
    console.error(`Give a platform to build for: ${Object.keys(builders).join(", ")}.`);
    return 1;
  }
  // From its first step on, which removes the old deployable: `vercel build` reads the whole folder, what
  // lies in dist included.
  const built = await exclusively(join(folder, "dist/.building"), () =>
    recordBuild({ app: app.id, platform, deployable }, (record) => builder(folder, deployable, record)),
  );
  return built ? 0 : 1;
}

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildArtifact } from "@evenbench/bundle";
import { type Alteration, type Builder, buildAlteredApp, bundleBuilder } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";
import type { SideBuild } from "./define.ts";

/** The handler cases as a bundler makes them that was not told NODE_ENV, on the target's platform. */
export const WITHOUT_NODE_ENV: SideBuild = {
  name: "no-node-env",
  async build({ platform }, deployable) {
    const outDirectory = `${deployable}.bundle`;
    try {
      const { artifact, failures } = await buildArtifact({ outDirectory, nodeEnv: null });
      const [failure] = failures;
      if (failure !== undefined) throw new Error(`${failure.path}: ${failure.reason}`);
      const buildDeployable = await bundleBuilder(platform.id);
      await buildDeployable({ artifactDirectory: artifact, outDirectory: deployable });
    } finally {
      await rm(outDirectory, { recursive: true, force: true });
    }
  },
};

const NEXT_SOURCES = [
  "app",
  "src",
  "next.config.ts",
  "open-next.config.ts",
  "wrangler.jsonc",
  "tsconfig.json",
  "package.json",
];

/** The Next.js app with changes to its sources, built for the target's platform by the app's own builder. */
export function alteredNext(name: string, alterations: readonly Alteration[]): SideBuild {
  const app = join(repositoryRoot, "apps/next");
  return {
    name,
    async build({ platform }, deployable) {
      const file = pathToFileURL(join(app, "build.ts")).href;
      const { builders }: { builders: Record<string, Builder> } = await import(file);
      const builder = builders[platform.id];
      if (builder === undefined) throw new Error(`${file} has no builder for ${platform.id}.`);
      await buildAlteredApp({ app, sources: NEXT_SOURCES, alterations, builder, deployable });
    },
  };
}

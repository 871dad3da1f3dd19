import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { vercelBuild } from "@evenbench/app-vercel/build";
import { type Builder, keepSourceMaps } from "@evenbench/bundle/deployable";
import { buildEnvironment, clean } from "./environment.ts";

/**
 * The parts of a Build Output API folder. The adapter leaves its own copy of the server beside them, the CLI
 * its notes.
 */
const PARTS = ["config.json", "functions", "static"];

/** The real `vercel build`, around the adapter for Vercel. */
export const buildForVercel: Builder = async (source, deployable, build) => {
  await clean(source);
  const settings = { framework: "astro", buildCommand: "astro build" };
  await vercelBuild(build, source, settings, buildEnvironment("vercel"));
  const output = join(source, ".vercel/output");
  await mkdir(deployable);
  for (const part of PARTS) await rename(join(output, part), join(deployable, part));
  // The copy has the source maps, and lies as deep in the app's folder as what it is a copy of.
  const mapped = { deployed: join(deployable, "functions/_render.func"), maps: join(output, "_functions") };
  await keepSourceMaps(deployable, [mapped]);
  await clean(source);
};

import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { vercelBuild } from "@evenbench/app-vercel/src/vercel-build.ts";
import type { Builder } from "@evenbench/deployable";
import { buildEnvironment, clean } from "./vite.ts";

/** The real `vercel build`, around adapter-vercel. */
export const buildForVercel: Builder = async (source, deployable, build) => {
  await clean(source);
  const settings = { framework: "sveltekit-1", buildCommand: "vite build" };
  await vercelBuild(build, source, settings, buildEnvironment("vercel"));
  const output = join(source, ".vercel/output");
  // Notes of the CLI for its makers, with paths of this machine.
  await rm(join(output, "diagnostics"), { recursive: true, force: true });
  await rename(output, deployable);
  await clean(source);
};

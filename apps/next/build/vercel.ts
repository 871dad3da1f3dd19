import { rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { vercelBuild, vercelBuildOfCopy } from "@evenbench/app-vercel/build";
import type { Builder } from "@evenbench/bundle/deployable";
import packageJson from "../package.json" with { type: "json" };
import { buildEnvironment } from "./environment.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));

/** The real `vercel build`, of the app or of a copy of it. */
export const buildForVercel: Builder = async (source, deployable, build) => {
  const outputs = [".next", ".vercel"].map((folder) => join(source, folder));
  const clean = () => Promise.all(outputs.map((folder) => rm(folder, { recursive: true, force: true })));
  await clean();
  const env = buildEnvironment("vercel", `vercel build ${packageJson.devDependencies.vercel}`);
  const run = relative(folder, source) === "" ? vercelBuild : vercelBuildOfCopy;
  await run(build, source, { framework: "nextjs", buildCommand: "next build" }, env);
  const output = join(source, ".vercel/output");
  // Notes of the CLI for its makers, with paths of this machine.
  await rm(join(output, "diagnostics"), { recursive: true, force: true });
  await rename(output, deployable);
  await clean();
};

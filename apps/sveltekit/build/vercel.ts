import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { vercelBuild } from "@evenbench/app-vercel/build";
import { type Builder, keepSourceMaps, type MappedFolder } from "@evenbench/bundle/deployable";
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
  await keepSourceMaps(deployable, await serverFolders(source, deployable));
  await clean(source);
};

/** Where the functions have copies of the server that SvelteKit built. */
async function serverFolders(source: string, deployable: string): Promise<readonly MappedFolder[]> {
  const maps = join(source, ".svelte-kit/output/server");
  const entries = await readdir(join(deployable, "functions"), { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((folder) => folder.endsWith(join(".svelte-kit", "output", "server")))
    .map((deployed) => ({ deployed, maps }));
}

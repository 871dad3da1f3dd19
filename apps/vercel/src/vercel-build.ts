import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Build } from "@evenbench/deployable";

/** The part of a project's settings that matters to a build. */
export interface ProjectSettings {
  readonly framework: string | null;
  readonly buildCommand?: string;
  readonly outputDirectory?: string;
}

/**
 * Runs the real `vercel build` in a project's folder, without login and network. Its output is in `.vercel/output` there.
 *
 * @throws {Error} with its own words when it fails.
 */
export async function vercelBuild(
  build: Pick<Build, "run">,
  directory: string,
  projectSettings: ProjectSettings,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await mkdir(join(directory, ".vercel"), { recursive: true });
  // What `vercel link` would have written; the ids only matter when something is deployed.
  const settings = { nodeVersion: "24.x", rootDirectory: null, ...projectSettings };
  const project = { projectId: "prj_local", orgId: "team_local", settings };
  await writeFile(join(directory, ".vercel/project.json"), JSON.stringify(project));
  const cli = join(dirname(createRequire(import.meta.url).resolve("vercel/package.json")), "dist/vc.js");
  const command = [process.execPath, cli, "build", "--prod", "--yes", "--standalone"] as const;
  const quiet = { VERCEL_TELEMETRY_DISABLED: "1", VERCEL_INSTALL_COMPLETED: "1" };
  await build.run("vercel build", command, { cwd: directory, env: { ...env, ...quiet } });
}

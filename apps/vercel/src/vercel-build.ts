import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/**
 * Runs the real `vercel build` in a prepared project folder, without login and network.
 *
 * @throws {Error} with its own words when it fails.
 */
export async function vercelBuild(directory: string): Promise<void> {
  const cli = join(dirname(createRequire(import.meta.url).resolve("vercel/package.json")), "dist/vc.js");
  const env = { ...process.env, VERCEL_TELEMETRY_DISABLED: "1", VERCEL_INSTALL_COMPLETED: "1" };
  const args = [cli, "build", "--prod", "--yes", "--standalone"];
  await promisify(execFile)(process.execPath, args, { cwd: directory, env });
}

/** What `vercel link` would have written; the ids only matter when something is deployed. */
export function projectSettings(framework: string | null): string {
  const settings = { framework, nodeVersion: "24.x", rootDirectory: null, outputDirectory: "public" };
  return JSON.stringify({ projectId: "prj_local", orgId: "team_local", settings });
}

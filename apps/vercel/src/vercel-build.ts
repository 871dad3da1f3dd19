import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import type { Build } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";

export interface ProjectSettings {
  readonly framework: string | null;
  readonly buildCommand?: string;
  readonly outputDirectory?: string;
}

/** What `vercel link` would have written; the ids only matter when something is deployed. */
const IDS = { projectId: "prj_local", orgId: "team_local" };

export async function vercelBuild(
  build: Pick<Build, "run">,
  directory: string,
  projectSettings: ProjectSettings,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await writeProject(directory, { rootDirectory: null, ...projectSettings });
  await runVercelBuild(build, directory, env);
}

/** For a copy below an app: by itself the CLI takes it for a repository of its own, without dependencies. */
export async function vercelBuildOfCopy(
  build: Pick<Build, "run">,
  directory: string,
  projectSettings: ProjectSettings,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const rootDirectory = relative(repositoryRoot, directory).split(sep).join("/");
  await writeProject(directory, { rootDirectory, ...projectSettings });
  const link = await linkRepository(rootDirectory);
  // The CLI looks for the repository's link from below the project's folder, which has a link of its own.
  const below = join(directory, ".vercel/from");
  try {
    await mkdir(below, { recursive: true });
    await runVercelBuild(build, below, env);
  } finally {
    await rm(link);
  }
}

async function linkRepository(directory: string): Promise<string> {
  const file = join(repositoryRoot, ".vercel/repo.json");
  const project = { id: IDS.projectId, name: "local", directory, orgId: IDS.orgId };
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(file, JSON.stringify({ projects: [project] }), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new Error(
      `${relative(repositoryRoot, file)} links the repository already, by your hand or a build that was killed. Move it away, then try again.`,
    );
  }
  return file;
}

async function writeProject(directory: string, projectSettings: object): Promise<void> {
  const settings = { nodeVersion: "24.x", ...projectSettings };
  await mkdir(join(directory, ".vercel"), { recursive: true });
  await writeFile(join(directory, ".vercel/project.json"), JSON.stringify({ ...IDS, settings }));
}

async function runVercelBuild(
  build: Pick<Build, "run">,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const cli = join(dirname(createRequire(import.meta.url).resolve("vercel/package.json")), "dist/vc.js");
  const command = [process.execPath, cli, "build", "--prod", "--yes", "--standalone"] as const;
  const quiet = { VERCEL_TELEMETRY_DISABLED: "1", VERCEL_INSTALL_COMPLETED: "1" };
  await build.run("vercel build", command, { cwd, env: { ...env, ...quiet } });
}

import { spawn } from "node:child_process";
import { delimiter, join, relative, sep } from "node:path";
import { projectRoot } from "./project.ts";

export interface BuildResult {
  readonly ok: boolean;
  /** turbo's own last words: the summary of tasks and cache hits, or the end of what failed. */
  readonly summary: string;
}

/**
 * Builds the packages that make the given deployables, with everything they depend on, through turbo's cache.
 * One that fails does not stop the others.
 */
export async function build(deployables: readonly string[]): Promise<BuildResult> {
  const filters = [...new Set(deployables.map(packageFolder))].map((folder) => `--filter=./${folder}`);
  const args = ["run", "build", "--continue", "--output-logs=errors-only", ...filters];
  const bin = join(projectRoot, "node_modules/.bin");
  // turbo calls pnpm by name, and the tools want the Node.js that the workspace pins.
  const env = { ...process.env, PATH: bin + delimiter + process.env.PATH };
  const child = spawn(join(bin, "turbo"), args, { cwd: projectRoot, env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const keep = (chunk: Buffer): void => {
    lines.push(...chunk.toString().split("\n"));
    lines.splice(0, lines.length - 200);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  return { ok: code === 0, summary: code === 0 ? summarise(lines) : lines.slice(-60).join("\n") };
}

/** "apps/node" of ".../apps/node/dist/deployable". */
function packageFolder(deployable: string): string {
  return relative(projectRoot, deployable).split(sep).slice(0, 2).join("/");
}

function summarise(lines: readonly string[]): string {
  const of = (label: string): string =>
    lines
      .findLast((line) => line.includes(`${label}:`))
      ?.split(":")
      .slice(1)
      .join(":")
      .trim() ?? "?";
  return `tasks ${of("Tasks")}; cached ${of("Cached")}; ${of("Time")}`;
}

import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { artifactDirectory } from "@evenbench/bundle";
import { build } from "esbuild";
import { assertFunctionSize } from "./src/size-limit.ts";
import settings from "./vercel.json" with { type: "json" };

const here = fileURLToPath(new URL(".", import.meta.url));

export interface DeployableBuild {
  /** The artifact of @evenbench/bundle. */
  readonly artifactDirectory: string;
  /** Made anew. */
  readonly outDirectory: string;
}

/**
 * Writes a Vercel deployable: a Build Output API v3 folder with one function, `index.mjs`, and beside it the artifact's
 * files as they are in `artifact/`. Written here and not by `vercel build`, which takes seconds and would lay out the
 * files by its own tracing; a test compares the two.
 *
 * @throws {HostError} when the function is larger than Vercel takes.
 */
export async function buildDeployable({ artifactDirectory, outDirectory }: DeployableBuild): Promise<void> {
  const functionDirectory = join(outDirectory, "functions/index.func");
  await rm(outDirectory, { recursive: true, force: true });
  await mkdir(functionDirectory, { recursive: true });
  await mkdir(join(outDirectory, "static"));
  await cp(artifactDirectory, join(functionDirectory, "artifact"), { recursive: true });
  await build({
    absWorkingDir: here,
    entryPoints: ["src/entry.ts"],
    outfile: join(functionDirectory, "index.mjs"),
    bundle: true,
    external: ["./artifact/*"],
    format: "esm",
    platform: "node",
    target: "node24",
    logLevel: "warning",
  });
  await writeJson(join(functionDirectory, ".vc-config.json"), {
    runtime: "nodejs24.x",
    handler: "index.mjs",
    launcherType: "Nodejs",
    architecture: "x86_64",
    shouldAddHelpers: false,
    shouldAddSourcemapSupport: false,
    supportsResponseStreaming: true,
    regions: settings.regions,
    maxDuration: settings.functions["api/index.mjs"].maxDuration,
    environment: { NODE_ENV: "production" },
  });
  await writeJson(join(outDirectory, "config.json"), {
    version: 3,
    routes: [{ handle: "filesystem" }, { src: "^/.*$", dest: "/index" }],
  });
  await assertFunctionSize(functionDirectory);
}

async function writeJson(file: string, content: unknown): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildDeployable({ artifactDirectory, outDirectory: join(here, "dist/deployable") });
}

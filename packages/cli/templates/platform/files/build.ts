import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { artifactDirectory } from "@evenbench/bundle";
import { type BundleBuild, recordBuild } from "@evenbench/bundle/deployable";
import { build } from "esbuild";
import packageJson from "./package.json" with { type: "json" };

const here = fileURLToPath(new URL(".", import.meta.url));

/** Writes a deployable: `server.mjs`, which listens, `handler.mjs`, which answers, and the artifact's files as they are. */
export async function buildDeployable({ artifactDirectory, outDirectory }: BundleBuild): Promise<void> {
  await rm(outDirectory, { recursive: true, force: true });
  await mkdir(outDirectory, { recursive: true });
  await cp(artifactDirectory, join(outDirectory, "artifact"), { recursive: true });
  await build({
    absWorkingDir: here,
    entryPoints: ["src/server.ts", "src/handler.mts"],
    outdir: outDirectory,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    external: ["./artifact/*", "./handler.mjs"],
    format: "esm",
    platform: "node",
    target: "node22",
    define: { "process.env.ADAPTER": JSON.stringify(`srvx ${packageJson.dependencies.srvx}`) },
    logLevel: "warning",
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const deployable = join(here, "dist/deployable");
  const task = { app: "bundle", platform: "template-platform", deployable };
  const built = await recordBuild(task, ({ step }) =>
    step("bundle the entries", () => buildDeployable({ artifactDirectory, outDirectory: deployable })),
  );
  if (!built) process.exitCode = 1;
}

import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { artifactDirectory } from "@evenbench/bundle";
import { type BundleBuild, recordBuild } from "@evenbench/bundle/deployable";
import { build } from "esbuild";
import packageJson from "./package.json" with { type: "json" };

const here = fileURLToPath(new URL(".", import.meta.url));

/** Writes a Node deployable: `server.mjs`, and beside it the artifact's files as they are in `artifact/`. */
export async function buildDeployable({ artifactDirectory, outDirectory }: BundleBuild): Promise<void> {
  await rm(outDirectory, { recursive: true, force: true });
  await mkdir(outDirectory, { recursive: true });
  await cp(artifactDirectory, join(outDirectory, "artifact"), { recursive: true });
  await build({
    absWorkingDir: here,
    entryPoints: ["src/entry.ts"],
    outfile: join(outDirectory, "server.mjs"),
    bundle: true,
    external: ["./artifact/*"],
    format: "esm",
    platform: "node",
    target: "node22",
    define: { SRVX_VERSION: JSON.stringify(packageJson.dependencies.srvx) },
    logLevel: "warning",
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const deployable = join(here, "dist/deployable");
  const built = await recordBuild({ app: "bundle", platform: "node", deployable }, ({ step }) =>
    step("bundle the entry", () => buildDeployable({ artifactDirectory, outDirectory: deployable })),
  );
  if (!built) process.exitCode = 1;
}

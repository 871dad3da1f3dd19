import { readdir, readFile, rename, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { definePlatform, type PlatformDefinition, type ServeOptions } from "@evenbench/core";
import {
  accessVariables,
  LOOPBACK,
  type OwnRuntime,
  serverEnvironment,
  serverOf,
  sharedPortCommand,
  startHost,
} from "@evenbench/host";
import { build } from "esbuild";

export interface ServerPlatform extends Omit<PlatformDefinition, "serve" | "close" | "size" | "missing"> {
  readonly runtime: OwnRuntime;
  flags(options: ServeOptions): readonly string[];
  environment(options: ServeOptions): Readonly<Record<string, string>>;
}

/** For runtimes that run a web-standard server as a program. */
export function serverPlatform({
  runtime,
  flags,
  environment,
  ...definition
}: ServerPlatform): PlatformDefinition {
  return definePlatform({
    ...definition,
    offUnlessNamed: true,
    missing: runtime.missing,

    async serve(options) {
      const args = ["run", ...flags(options), serverOf(options.deployable)];
      const file = runtime.program();
      return startHost({
        ...options,
        name: `${definition.title.toLowerCase()} host`,
        command: (port) => ({
          ...sharedPortCommand({ file, args }, options.workers),
          cwd: options.deployable,
          env: serverEnvironment({
            HOST: LOOPBACK,
            PORT: String(port),
            EVENBENCH_WORKERS: String(options.workers),
            ...environment(options),
            ...options.environment,
            ...accessVariables(options.token),
          }),
        }),
      });
    },

    close: (deployable) => closeHandler(join(deployable, "handler.mjs")),

    size: async (deployable) => ({ ...(await sizeOfFolder(deployable)), limit: null }),
  });
}

/** Whatever server imports it, on whichever runtime, then serves only callers with the token. */
export async function closeHandler(file: string): Promise<void> {
  const behind = file.replace(/\.mjs$/, ".open.mjs");
  await rename(file, behind);
  const source = fileURLToPath(new URL("handler-front.ts", import.meta.url));
  await putInFront({ source, outfile: file, behind: `./${basename(behind)}` });
}

export interface FrontOptions {
  readonly source: string;
  readonly outfile: string;
  /** Relative to the written file: "./worker.js". */
  readonly behind: string;
}

/** What stands behind is left as the app's build made it. */
export async function putInFront({ source, outfile, behind }: FrontOptions): Promise<void> {
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    target: "es2024",
    legalComments: "none",
    logLevel: "warning",
    plugins: [
      {
        name: "behind",
        setup(pluginBuild) {
          pluginBuild.onResolve({ filter: /^#behind\// }, () => ({ path: behind, external: true }));
        },
      },
    ],
  });
}

export interface FolderSize {
  readonly bytes: number;
  readonly gzipBytes: number;
}

/** Links count as what they point to; folders that are links do not. */
export async function sizeOfFolder(folder: string): Promise<FolderSize> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let total: FolderSize = { bytes: 0, gzipBytes: 0 };
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    if (!(await stat(file)).isFile()) continue;
    const content = await readFile(file);
    const { byteLength } = await promisify(gzip)(content);
    total = addSizes(total, { bytes: content.byteLength, gzipBytes: byteLength });
  }
  return total;
}

export async function bytesOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = await Promise.all(entries.map((entry) => stat(join(entry.parentPath, entry.name))));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

function addSizes(one: FolderSize, other: FolderSize): FolderSize {
  return { bytes: one.bytes + other.bytes, gzipBytes: one.gzipBytes + other.gzipBytes };
}

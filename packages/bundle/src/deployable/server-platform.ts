import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  type DeployableSize,
  definePlatform,
  type PlatformDefinition,
  type ServeOptions,
} from "@evenbench/core";
import {
  accessVariables,
  builtFile,
  eachAtATime,
  entriesBelow,
  LOOPBACK,
  type OwnRuntime,
  serverEnvironment,
  sharedPortCommand,
  startHost,
} from "@evenbench/host";
import { build } from "esbuild";

/** A platform whose runtime runs a web-standard server as a program. */
export interface ServerPlatform extends Omit<PlatformDefinition, "serve" | "close" | "size" | "missing"> {
  readonly runtime: OwnRuntime;
  /** Source text of the server that stands for no app where a start is measured: it listens at PORT of HOST. */
  readonly emptyServer: string;
  /** Gives the runtime's own flags. @throws {UserError} for options that it cannot have. */
  flags(options: ServeOptions): readonly string[];
  /** Gives variables of the runtime. */
  environment(options: ServeOptions): Readonly<Record<string, string>>;
}

/** Makes the platform of a runtime that runs a web-standard server as a program. */
export function serverPlatform({
  runtime,
  emptyServer,
  flags,
  environment,
  ...definition
}: ServerPlatform): PlatformDefinition {
  return definePlatform({
    ...definition,
    offUnlessNamed: true,
    missing: runtime.missing,
    startUp: { evaluatedAt: null },

    async serve(options) {
      const server = await serverFile(options, emptyServer);
      const args = ["run", ...flags(options), server];
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

    // Whatever server imports it, on whichever runtime, then serves only callers with the token.
    close: (deployable) =>
      replaceByFront(
        join(deployable, "handler.mjs"),
        "handler.open.mjs",
        new URL("handler-front.ts", import.meta.url),
      ),

    size: async (deployable) => ({ ...(await sizeOfFolder(deployable)), limit: null }),
  });
}

/**
 * Gives the absolute path of the program that is started: the deployable's server, or, for the control of a start that is
 * measured, one that is written beside the log.
 *
 * @param emptyServer source text of the latter.
 */
export async function serverFile(
  { deployable, logFile, startUp }: Pick<ServeOptions, "deployable" | "logFile" | "startUp">,
  emptyServer: string,
): Promise<string> {
  if (startUp !== "control") {
    return builtFile(deployable, "server.mjs");
  }
  const file = resolve(`${logFile}.empty.mjs`);
  await writeFile(file, emptyServer);
  return file;
}

/** Moves a module of a deployable behind a front, which takes its name. */
export async function replaceByFront(file: string, behind: string, front: URL): Promise<void> {
  await rename(file, join(dirname(file), behind));
  await putInFront(front, file, behind);
}

/** Bundles a front that imports a module of the same folder, which is left as the app's build made it. */
export async function putInFront(front: URL, outfile: string, behind: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(front)],
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
        setup(bundler) {
          bundler.onResolve({ filter: /^#behind\// }, () => ({ path: `./${behind}`, external: true }));
        },
      },
    ],
  });
}

const compress = promisify(gzip);

/**
 * Adds up the files below a folder. Links count as what they point to, those to nothing as nothing; folders that are
 * links do not count.
 */
export async function sizeOfFolder(folder: string): Promise<Omit<DeployableSize, "limit">> {
  const entries = await entriesBelow(folder);
  const files = entries.filter((entry) => !entry.isDirectory());
  const total = { bytes: 0, gzipBytes: 0 };
  await eachAtATime(files, async (entry) => {
    const file = join(entry.parentPath, entry.name);
    const stats = await stat(file).catch(() => null);
    if (stats?.isFile() !== true) {
      return;
    }
    const content = await readFile(file);
    const compressed = await compress(content);
    total.bytes += content.byteLength;
    total.gzipBytes += compressed.byteLength;
  });
  return total;
}

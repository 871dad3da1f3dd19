import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
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
  /** Gives the runtime's own flags. @throws {UserError} for options that it cannot have. */
  flags(options: ServeOptions): readonly string[];
  /** Gives variables of the runtime. */
  environment(options: ServeOptions): Readonly<Record<string, string>>;
}

/** Makes the platform of a runtime that runs a web-standard server as a program. */
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
    startUp: { evaluatedAt: null },

    async serve(options) {
      const server = await serverFile(options);
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
        join(deployable, HANDLER),
        "handler.open.mjs",
        new URL("handler-front.ts", import.meta.url),
      ),

    size: async (deployable) => ({ ...(await sizeOfFolder(deployable)), limit: null }),
  });
}

/** The module of the app, beside a server of Evenbench that imports it. */
const HANDLER = "handler.mjs";

/** Source text of a server of Node.js without an app. */
const EMPTY_SERVER = `import { createServer } from "node:http";
createServer((_request, response) => response.end()).listen(Number(process.env.PORT), process.env.HOST);
`;

/**
 * Gives the absolute path of the program that is started: the deployable's server, or, for the control of a start that is
 * measured, the same without the app. Of an app that brings its own server that is an empty one.
 */
export async function serverFile({
  deployable,
  logFile,
  startUp,
}: Pick<ServeOptions, "deployable" | "logFile" | "startUp">): Promise<string> {
  const server = builtFile(deployable, "server.mjs");
  if (startUp !== "control") {
    return server;
  }
  const control = await copyWithoutApp(server, resolve(`${logFile}.empty`));
  if (!existsSync(join(deployable, HANDLER))) {
    await writeFile(control, EMPTY_SERVER);
  }
  return control;
}

/** Copies a module that imports an app's handler into a folder, beside a handler of nothing. @returns the copy's path. */
export async function copyWithoutApp(module: string, folder: string): Promise<string> {
  const copy = join(folder, basename(module));
  await mkdir(folder, { recursive: true });
  await cp(module, copy);
  await writeFile(join(folder, HANDLER), "export default { fetch: () => new Response(null) };\n");
  return copy;
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

/** Adds up the files below a folder. Links to files count as these, links to nothing or to folders as nothing. */
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

import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  FOR_NODE_SERVERS,
  packWorker,
  usualConfiguration,
  writeWranglerConfiguration,
} from "@evenbench/app-cloudflare/build";
import { CONFIGURATION_FILES, readOwnConfiguration } from "@evenbench/app-cloudflare/own-configuration";
import { packAdaptedWorker } from "@evenbench/app-cloudflare/own-worker";
import { SERVER_PACKAGES } from "@evenbench/app-handler/server-packages";
import { vercelBuild } from "@evenbench/app-vercel/build";
import { buildApiFunctions, isApiFunction, isOfFunctions } from "@evenbench/app-vercel/functions";
import { BUILT_INTO, type OwnPacker, packEach, slashed } from "@evenbench/bundle/deployable";
import { defineOwnApp, type OwnAppBuild, type OwnAppSource, type PlatformId } from "@evenbench/core";
import { FASTIFY_CLI, findListener, type Listener } from "./src/find-listener.ts";
import { listenerIn, packNodeServer } from "./src/node-server.ts";
import { ENTRY_NAME, HELD_NAME, WORKER_HELD, WORKER_PLACES, workerEntry } from "./src/sources.ts";
import { leadVercel } from "./src/vercel-entry.ts";

/** The CLI's name of a server by none of these packages. */
const PLAIN_SERVER = "node";

/** Builds servers that listen on a port: Express, Koa, Fastify and `createServer` of node:http. */
export default defineOwnApp({
  title: "a server that listens on a port, such as Express",
  // Before handlers: a module that listens may fetch, too.
  order: 4,
  // The Vercel CLI.
  tools: { vercel: ["vercel"] },

  async detect(source) {
    const listener = findListener(source);
    if (listener === null) {
      return null;
    }
    const { file, args = [] } = listener;
    // Modules that were built lie beside each other.
    const [folder = ""] = file.split("/");
    const kept = BUILT_INTO.test(file) ? folder : file;
    return {
      title: `A server that listens (${[file, ...args].join(" ")})`,
      refusals: refusalsOf(source, listener),
      keeps: existsSync(join(source.folder, file)) && args.length === 0 ? [kept] : [],
    };
  },

  async build(build) {
    build.note("In the copy the server listens where each platform wants it, whatever port its code names.");
    notePreloads(build);
    const platforms = await packEach(build, PACKERS, {});
    const note = "The server is asked for every path; which ones it knows, its code says.";
    return { platforms, routes: [{ path: "/*", kind: "dynamic", hasMiddleware: false, note }] };
  },
});

/** Says which modules a script has Node.js load before the app's own. */
function notePreloads({ source, note }: OwnAppBuild): void {
  const names = (findListener(source)?.preloads ?? []).map(({ name }) => name);
  if (names.length > 0) {
    note(`On Node.js alone ${names.join(", ")} is loaded first, for its script, or for its TypeScript.`);
  }
}

/** Gives the reasons for platforms that cannot have a server, by platform. */
function refusalsOf(source: OwnAppSource, { args = [] }: Listener): Readonly<Record<PlatformId, string>> {
  const isWorker = CONFIGURATION_FILES.some((name) => source.files.includes(name));
  const { notOnWorkers } = serverPackageOf(source);
  return {
    ...(notOnWorkers !== undefined && !isWorker && { cloudflare: notOnWorkers }),
    ...(args.length > 0 && { vercel: FASTIFY_CLI.notOnVercel }),
  };
}

/** Gives what is known of the package by which an app's server is written. */
function serverPackageOf(source: OwnAppSource): (typeof SERVER_PACKAGES)[string] {
  const name = Object.keys(SERVER_PACKAGES).find((found) => source.rangeOf(found) !== null);
  return SERVER_PACKAGES[name ?? ""] ?? {};
}

const PACKERS: Readonly<Record<string, OwnPacker>> = {
  node: packNodeServer,

  async vercel(build, deployable) {
    const listener = listenerIn(build.source);
    if (isApiFunction(listener.file) || (await isOfFunctions(build.folder))) {
      return buildApiFunctions(build, deployable);
    }
    await leadVercel(build, listener);
    const { vercel: framework = PLAIN_SERVER } = serverPackageOf(build.source);
    await vercelBuild(build.run, { directory: build.folder, deployable, settings: { framework } });
  },

  async cloudflare(build, deployable) {
    const own = await readOwnConfiguration(build.folder, build.source.variables);
    if (own?.main != null) {
      await packAdaptedWorker(build, deployable);
      return;
    }
    await mkdir(deployable, { recursive: true });
    await packWorker(build.run, await stageWorker(build), deployable, FOR_NODE_SERVERS);
  },
};

/**
 * Writes the Worker in front of the server, as Cloudflare's documents have it: `httpServerHandler` of cloudflare:node.
 *
 * @returns the folder of its configuration.
 */
async function stageWorker({ folder, source, note }: OwnAppBuild): Promise<string> {
  const staged = join(folder, ".evenbench/listener");
  await mkdir(staged, { recursive: true });
  await writeFile(join(staged, HELD_NAME), WORKER_HELD);
  const entry = slashed(relative(staged, join(folder, listenerIn(source).file)));
  await writeFile(join(staged, ENTRY_NAME), workerEntry(entry));
  const { compatibility_date } = await usualConfiguration();
  const assets = existsSync(join(folder, "public")) ? { assets: { directory: "../../public" } } : {};
  await writeWranglerConfiguration(staged, {
    name: "worker",
    main: ENTRY_NAME,
    compatibility_date,
    compatibility_flags: ["nodejs_compat"],
    define: WORKER_PLACES,
    ...assets,
  });
  note(
    "On Workers the app has its modules and what lies in public/, and no other file: a path that sends one fails.",
  );
  return staged;
}

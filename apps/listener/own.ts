import { existsSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import {
  FOR_NODE_SERVERS,
  packWorker,
  usualConfiguration,
  writeWranglerConfiguration,
} from "@evenbench/app-cloudflare/build";
import { readOwnConfiguration } from "@evenbench/app-cloudflare/own-configuration";
import { configureOwnWorker } from "@evenbench/app-cloudflare/own-worker";
import { vercelBuild } from "@evenbench/app-vercel/build";
import { linkPackages, type OwnPacker, packEach, slashed } from "@evenbench/bundle/deployable";
import { defineOwnApp, type OwnAppBuild, type OwnAppSource, UserError } from "@evenbench/core";
import { findListener } from "./src/find-listener.ts";
import {
  ENTRY_NAME,
  HELD_NAME,
  nodeHeld,
  serverEntry,
  WORKER_HELD,
  WORKER_PLACES,
  workerEntry,
} from "./src/sources.ts";

/** Names of frameworks as Vercel's CLI has them, by the package that an app names. */
const VERCEL_FRAMEWORKS: Readonly<Record<string, string>> = {
  express: "express",
  fastify: "fastify",
  koa: "koa",
  "@nestjs/core": "nestjs",
};
/** The CLI's name of a server without such a package. */
const PLAIN_SERVER = "node";

/** Folders of an app that its server does not read: packages are linked, and the others are outputs of builds here. */
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".git", ".vercel", ".evenbench", ".wrangler"]);

/** Builds servers that listen on a port: Express, Koa, Fastify and `createServer` of node:http. */
export default defineOwnApp({
  title: "a server that listens on a port, such as Express",
  // Before handlers: a module that listens may fetch, too.
  order: 4,

  async detect(source) {
    const entry = findListener(source);
    if (entry === null) {
      return null;
    }
    return { title: `A server that listens (${entry})`, refusals: {}, keeps: [entry] };
  },

  async build(build) {
    build.note("In the copy the server listens where each platform wants it, whatever port its code names.");
    const platforms = await packEach(build, PACKERS, {});
    const note = "The server is asked for every path; which ones it knows, its code says.";
    return { platforms, routes: [{ path: "/*", kind: "dynamic", hasMiddleware: false, note }] };
  },
});

/** Gives the module of the copy that listens. @throws {UserError} where there is none. */
function entryIn(source: OwnAppSource): string {
  const entry = findListener(source);
  if (entry === null) {
    throw new UserError("The module that listens is not in the private copy: .gitignore leaves it out.");
  }
  return entry;
}

/** Packs the server as each platform's deployable, by platform. */
const PACKERS: Readonly<Record<string, OwnPacker>> = {
  /** The app as it is, started in its own folder. */
  async node(build, deployable) {
    const app = join(deployable, "app");
    await mkdir(app, { recursive: true });
    const isTaken = (path: string) => path === build.folder || !LEFT_OUT.has(basename(path));
    await cp(build.folder, app, { recursive: true, verbatimSymlinks: true, filter: isTaken });
    await linkPackages(build, app);
    await writeFile(join(deployable, HELD_NAME), nodeHeld);
    await writeFile(join(deployable, "server.mjs"), serverEntry(`./app/${entryIn(build.source)}`));
  },

  async vercel(build, deployable) {
    const name = Object.keys(VERCEL_FRAMEWORKS).find((found) => build.source.rangeOf(found) !== null);
    const framework = VERCEL_FRAMEWORKS[name ?? ""] ?? PLAIN_SERVER;
    await vercelBuild(build.run, { directory: build.folder, deployable, settings: { framework } });
  },

  async cloudflare(build, deployable) {
    await mkdir(deployable, { recursive: true });
    const own = await readOwnConfiguration(build.folder, build.source.variables);
    if (own?.main != null) {
      await configureOwnWorker(build, own);
      await packWorker(build.run, own.folder, deployable);
      return;
    }
    await packWorker(build.run, await stageWorker(build), deployable, FOR_NODE_SERVERS);
  },
};

/**
 * Writes the Worker in front of the server, as Cloudflare's documents have it: `httpServerHandler` of cloudflare:node.
 *
 * @returns the folder of its configuration.
 */
async function stageWorker({ folder, source }: OwnAppBuild): Promise<string> {
  const staged = join(folder, ".evenbench/listener");
  await mkdir(staged, { recursive: true });
  await writeFile(join(staged, HELD_NAME), WORKER_HELD);
  const entry = slashed(relative(staged, join(folder, entryIn(source))));
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
  return staged;
}

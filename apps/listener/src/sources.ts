import type { Preload } from "@evenbench/app-handler/entries";
import type { Listener } from "./find-listener.ts";

/** Names of the modules that are written beside an app. */
export const HELD_NAME = "held.mjs";
export const ENTRY_NAME = "entry.mjs";
/** Name of the module that is written into an app. */
export const FIRST_NAME = "evenbench-first.mjs";

/** Source texts for the names by which a module finds its folder: on Workers its bundle lies in /bundle. */
export const WORKER_PLACES: Readonly<Record<string, string>> = {
  __dirname: '"/bundle"',
  __filename: `"/bundle/${ENTRY_NAME}"`,
  "import.meta.dirname": '"/bundle"',
  "import.meta.filename": `"/bundle/${ENTRY_NAME}"`,
  "import.meta.url": `"file:///bundle/${ENTRY_NAME}"`,
};

/** The port by which a Worker finds its server. Nothing else listens there. */
const WORKER_PORT = 3000;

/**
 * Makes the source text of a module that lets the app's first server listen elsewhere. What the app's module exports is
 * a stand-in for it, however late the server listens.
 *
 * @param address source text of the options of `listen`.
 * @param settings source text of statements that set up the server, which is `this`.
 */
function heldSource(address: string, settings: string): string {
  return `import { Server } from "node:http";

export const held = { server: null, isStandIn: false };
const original = Server.prototype.listen;
Server.prototype.listen = function (...values) {
  if (held.server !== null && !held.isStandIn) {
    return original.apply(this, values);
  }
  held.server?.close();
  held.server = this;
  held.isStandIn = false;
  ${settings}
  const callback = values.findLast((value) => typeof value === "function");
  return original.call(this, ${address}, ...(callback === undefined ? [] : [callback]));
};
`;
}

/** Source text for Node.js: the address is the host's, and connections stay open for as long as its own servers'. */
export const nodeHeld: string = heldSource(
  "{ port: Number(process.env.PORT), host: process.env.HOST }",
  "this.keepAliveTimeout = Number(process.env.KEEP_ALIVE_TIMEOUT);",
);

/** Source text for Workers. */
export const WORKER_HELD: string = heldSource(String(WORKER_PORT), "");

/**
 * Makes the source text that lets an exported app, or its callback, listen, as Vercel takes it.
 *
 * @param isStandIn true where a server of the module that listens later takes its place.
 */
function listenIfExported(isStandIn: boolean): string {
  return `const exported = own.default?.default ?? own.default;
const isCallback = typeof exported === "function" && exported.listen === undefined && exported.length >= 2;
const server = isCallback ? createServer(exported) : exported;
if (held.server === null && typeof server?.listen === "function") {
  server.listen();
  held.isStandIn = ${isStandIn};
}
`;
}

/**
 * Source text that waits for a module which listens, for as long as Vercel's adapter: it may ask a database first. One that
 * has left nothing under way never listens, as behind `require.main === module`.
 */
const WAIT = `const isUnderWay = () => process.getActiveResourcesInfo().length > resources;
for (const end = performance.now() + 1000; held.server === null && isUnderWay() && performance.now() < end; ) {
  await new Promise((resolve) => setTimeout(resolve, 20));
}
`;

/** Makes the source text of the server for Node.js, beside the folder "app" of the app. */
export function serverEntry({ file, args, isExported }: Listener): string {
  const listen = isExported ? listenIfExported(false) : `${WAIT}${listenIfExported(true)}`;
  return `import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { held } from "./${HELD_NAME}";

process.chdir(join(import.meta.dirname, "app"));
const resources = process.getActiveResourcesInfo().length;
const own = await import(pathToFileURL(${JSON.stringify(file)}).href);
${args === undefined ? listen : `own.default.cli(${JSON.stringify(args)});\n`}`;
}

/** Makes the source text of a Worker. @param entry the app's module, from the Worker's on. */
export function workerEntry(entry: string): string {
  return `import { createServer } from "node:http";
import { held } from "./${HELD_NAME}";
import * as own from ${JSON.stringify(entry)};
import { httpServerHandler } from "cloudflare:node";

${listenIfExported(false)}if (held.server === null) {
  throw new Error("No server listens once the app's module is loaded: a Worker does nothing between its start and a request.");
}
export default httpServerHandler({ port: ${WORKER_PORT} });
`;
}

/**
 * Makes the source text of a module in the app's folder that loads others before the app's own, as Node.js's options do.
 * It is loaded as the last of them is: a compiler that replaces `require` takes modules from it alone. A module that
 * awaits something cannot be required, and is imported then.
 */
export function firstEntry({ file }: Listener, preloads: readonly Preload[]): string {
  const lines = preloads.map(({ name, by }) => `${LOADED_BY[by](name)};\n`);
  const name = `./${file}`;
  const own =
    preloads.at(-1)?.by === "require"
      ? `await Promise.try(() => ${LOADED_BY.require(name)}).catch((error) => {
  if (error.code === "ERR_REQUIRE_ASYNC_MODULE") return import(${JSON.stringify(name)});
  throw error;
})`
      : LOADED_BY.import(name);
  return `import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
${lines.join("")}const own = ${own};
export default own.default ?? own;
`;
}

/** Makes the source text that loads a module, by the way in which it is loaded. */
const LOADED_BY: Readonly<Record<Preload["by"], (name: string) => string>> = {
  import: (name) => `await import(${JSON.stringify(name)})`,
  require: (name) => `require(${JSON.stringify(name)})`,
};

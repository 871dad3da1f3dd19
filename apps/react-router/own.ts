import { existsSync, readdirSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import {
  packAdaptedWorker,
  refusalsForWorkersAlone,
  setUpWorker,
  workersLast,
} from "@evenbench/app-cloudflare/own-worker";
import { findListener } from "@evenbench/app-listener/find-listener";
import { packNodeServer } from "@evenbench/app-listener/node-server";
import { vercelBuild } from "@evenbench/app-vercel/build";
import {
  buildByFramework,
  copyServer,
  fileOfPackage,
  linkPackages,
  type OwnPacker,
  packageFolder,
  packEach,
} from "@evenbench/bundle/deployable";
import { defineOwnApp, type OwnAppBuild, UserError } from "@evenbench/core";
import { parse } from "es-module-lexer/js";
import { readRoutes } from "./src/own-routes.ts";

/** The package that builds an app of React Router, and that whose server Node.js runs. */
const FRAMEWORK = "@react-router/dev";
const SERVER = "@react-router/serve";
/** The file of either's program, from its folder on. */
const PROGRAM = "bin.js";

const OUTPUT = "build";

/** Builds apps of React Router, framework mode, that nobody here wrote. */
export default defineOwnApp({
  title: "React Router",
  order: 0,
  // The Vercel CLI.
  tools: { vercel: ["vercel"] },

  async detect(source) {
    if (source.rangeOf(FRAMEWORK) === null) {
      return null;
    }
    return { title: "React Router", refusals: refusalsForWorkersAlone(source), keeps: [] };
  },

  /** Builds once for each platform. */
  async build(build) {
    const platforms = workersLast(build.platforms);
    const built = await packEach({ ...build, platforms }, PACKERS, {});
    const program = fileOfPackage(build, FRAMEWORK, PROGRAM);
    const routes = await readRoutes(build.folder, program, join(build.folder, OUTPUT, "client"));
    return { platforms: built, routes };
  },
});

const FILES_ALONE =
  "The build made files alone, as with ssr: false: nothing is rendered for a request, so there is nothing to compare.";

/** Runs the framework's build. @returns the server that it made, as `serverOf` does. */
async function reactRouterBuild(build: OwnAppBuild): Promise<string> {
  await rm(join(build.folder, OUTPUT), { recursive: true, force: true });
  const tool = { command: "react-router build", package: FRAMEWORK, file: PROGRAM };
  await buildByFramework(build, tool, { NODE_ENV: "production" });
  return serverOf(build.folder);
}

/** Finds the server that a build made, from the app's folder on. @throws {UserError} where it made none, or several. */
function serverOf(folder: string): string {
  const [server, ...others] = serversOf(folder);
  if (server !== undefined && others.length === 0) {
    return server;
  }
  throw new UserError(
    server === undefined && existsSync(join(folder, OUTPUT, "client"))
      ? FILES_ALONE
      : `The build made no ${OUTPUT}/server/index.js: another buildDirectory, and several bundles of a server, are not looked into.`,
  );
}

/** Lists the bundles of a server that a build made, from the app's folder on. */
function serversOf(folder: string): readonly string[] {
  const place = join(folder, OUTPUT, "server");
  // The preset of Vercel has a part of the server for each set of functions.
  const parts = existsSync(place) ? ["", ...readdirSync(place)] : [];
  const found = parts.map((part) => posix.join(OUTPUT, "server", part, "index.js"));
  return found.filter((path) => existsSync(join(folder, path)));
}

/** Tells whether Vercel's builder takes a bundle: the framework's own, or one whose default export takes a request. */
async function isTakenByVercel(bundle: string): Promise<boolean> {
  const [, exports, , isModule] = parse(await readFile(bundle, "utf8"));
  const names = exports.map((found) => ("name" in found ? found.name : ""));
  return !isModule || names.includes("routes") || names.includes("default");
}

/** Makes the source text of the build whose static files lie beside it: the server looks for them from the app's folder on. */
function buildSource(server: string): string {
  return `import { join } from "node:path";
import { assetsBuildDirectory as directory } from "./${server}";
export * from "./${server}";
export const assetsBuildDirectory = join(import.meta.dirname, directory);
`;
}

const SERVER_SOURCE = `import { join } from "node:path";
process.argv[2] = join(import.meta.dirname, "build.mjs");
await import("./node_modules/${SERVER}/${PROGRAM}");
`;

/** Finds the module of a server that is the app's own, from its folder on; null where the framework's serves it. */
function ownServerOf(build: OwnAppBuild): string | null {
  return packageFolder(build, SERVER) === null ? (findListener(build.source)?.file ?? null) : null;
}

const PACKERS: Readonly<Record<string, OwnPacker>> = {
  async node(build, deployable) {
    const server = await reactRouterBuild(build);
    if (ownServerOf(build) !== null) {
      await packNodeServer(build, deployable);
      return;
    }
    if (packageFolder(build, SERVER) === null) {
      await build.addPackages([`${SERVER}@${build.installedVersion(FRAMEWORK)}`]);
    }
    await copyServer(join(build.folder, OUTPUT), deployable, OUTPUT);
    await writeFile(join(deployable, "build.mjs"), buildSource(server));
    await writeFile(join(deployable, "server.mjs"), SERVER_SOURCE);
    await linkPackages(build, deployable, { added: [SERVER] });
  },

  async vercel(build, deployable) {
    const settings = { framework: "react-router" };
    await vercelBuild(build.run, { directory: build.folder, deployable, settings });
    if (existsSync(join(build.folder, OUTPUT, "client")) && serversOf(build.folder).length === 0) {
      throw new UserError(FILES_ALONE);
    }
    // Its builder takes several bundles, and another buildDirectory, which is not looked into.
    for (const server of serversOf(build.folder)) {
      if (!(await isTakenByVercel(join(build.folder, server)))) {
        throw new UserError(
          "Its own server entry gives no handler as its default export, which is what Vercel's builder calls.",
        );
      }
    }
  },

  async cloudflare(build, deployable) {
    const own = ownServerOf(build);
    if (own !== null) {
      throw new UserError(
        `Its server is its own (${own}). \`wrangler setup\` would put another one in its place, without what this one does.`,
      );
    }
    // The framework does without one, and wrangler's setup adds to it.
    if (!build.source.files.some((file) => file.startsWith("react-router.config."))) {
      await writeFile(join(build.folder, "react-router.config.ts"), "export default {};\n");
    }
    await setUpWorker(build);
    await reactRouterBuild(build);
    await packAdaptedWorker(build, deployable);
  },
};

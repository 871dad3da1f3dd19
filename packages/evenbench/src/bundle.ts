import { globSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { loadCommands } from "@evenbench/cli/commands";
import { repositoryRoot } from "@evenbench/host/repository";
import { TEXT_ENDINGS } from "@evenbench/host/text-imports";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

const source = (file: string) => join(import.meta.dirname, file);

/** Source text that makes `require`, by which bundled CommonJS asks for modules of Node.js. */
const REQUIRE =
  'import { createRequire as $createRequire } from "node:module"; const require = $createRequire(import.meta.url);';

/** Source text in the place of undici's index. */
const UNDICI_CLIENT = `
export { default as buildConnector } from "undici/lib/core/connect.js";
export { default as Client } from "undici/lib/dispatcher/client.js";
`;

/** Definitions of apps/ that `app` needs: they are found by their folder there, as in a clone. */
const DEFINITIONS = [
  ...globSync("apps/*/own.ts", { cwd: repositoryRoot }).map((file) =>
    file.replaceAll(sep, "/").replace(/\.ts$/, ""),
  ),
  "apps/cloudflare/platform",
  "apps/node/platform",
  "apps/vercel/platform",
];

/** Programs of Node.js that definitions start. */
const PROGRAMS = ["apps/next/src/quoted-paths", "apps/node/src/primary", "apps/vercel/src/instance"];

/** Modules that are bundled into a user's app, each with what it is made for. */
const PARTS_OF_APPS: Readonly<Record<string, NonNullable<BuildOptions["platform"]>>> = {
  "apps/cloudflare/src/missing-bindings": "neutral",
  "apps/handler/src/cloudflare": "neutral",
  "apps/handler/src/node": "node",
  "apps/handler/src/vercel": "node",
};

/** Files that are taken as they are. */
const COPIED_FILES = [
  "apps/astro/server.mjs",
  "apps/cloudflare/wrangler.json",
  "apps/handler/src/elysia.js",
  "apps/handler/src/served.js",
];

/**
 * Bundles the command line and the programming interface for Node.js 22 into `dist`.
 *
 * @returns absolute paths of the bundled sources.
 */
export async function bundlePackage(dist: string): Promise<readonly string[]> {
  const commandLine = await build({
    ...COMMON,
    entryPoints: {
      cli: source("cli.ts"),
      index: source("index.ts"),
      supervisor: fileURLToPath(import.meta.resolve("@evenbench/host/supervisor")),
      ...repositorySources(DEFINITIONS),
    },
    loader: Object.fromEntries(TEXT_ENDINGS.map((ending) => [ending, "text" as const])),
    inject: [source("polyfills.ts")],
    outdir: dist,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    platform: "node",
    banner: { js: REQUIRE },
    plugins: [commandsOfThePackage, clientOfUndici, toolsOfTheUser, withoutSideEffects],
  });
  const programs = await build({
    ...COMMON,
    entryPoints: repositorySources(PROGRAMS),
    outdir: dist,
    platform: "node",
    banner: { js: REQUIRE },
    plugins: [toolsOfTheUser],
  });
  const bundles: { readonly metafile: Metafile }[] = [commandLine, programs];
  for (const [part, platform] of Object.entries(PARTS_OF_APPS)) {
    const entryPoints = repositorySources([part]);
    // The user's handler and its settings are put in where it is bundled again.
    const behind = ["#behind/own-handler"];
    bundles.push(await build({ ...COMMON, entryPoints, outdir: dist, platform, external: behind }));
  }
  for (const file of COPIED_FILES) {
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await cp(join(repositoryRoot, file), join(dist, file));
  }
  return bundles
    .flatMap(({ metafile }) => Object.values(metafile.outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => resolve(file));
}

const COMMON = {
  bundle: true,
  format: "esm",
  target: "node22",
  conditions: ["packaged"],
  // Names stay, so that a stack says where it was.
  minifyWhitespace: true,
  minifySyntax: true,
  // Node.js prints the line of an error that nobody caught.
  lineLimit: 160,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
} as const satisfies BuildOptions;

/** Gives the sources of modules by their place in the package, which is that in the repository. */
function repositorySources(modules: readonly string[]): Record<string, string> {
  return Object.fromEntries(modules.map((path) => [path, join(repositoryRoot, `${path}.ts`)]));
}

/** Names that are imported of tools which the user installs, by the tool. */
const TOOL_EXPORTS: Readonly<Record<string, readonly string[]>> = {
  "@edge-runtime/vm": ["EdgeVM"],
  esbuild: ["build", "buildSync", "stop"],
  miniflare: ["ASSETS_PLUGIN", "D1_PLUGIN", "KV_PLUGIN", "QUEUES_PLUGIN", "R2_PLUGIN"],
  wrangler: ["experimental_readRawConfig", "unstable_readConfig"],
};

/** The one that is imported where a file begins, and not where it is used. It has functions alone. */
const IMPORTED_AT_ONCE = "esbuild";

/** Tools are looked for when they are used: in the folder where the user works, and beside the package. */
const toolsOfTheUser: Plugin = {
  name: "tools-of-the-user",
  setup({ onResolve, onLoad }) {
    const namespace = "tool";
    const filter = new RegExp(`^(?:${Object.keys(TOOL_EXPORTS).join("|")})$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace, sideEffects: false }));
    onLoad({ filter: /./, namespace }, ({ path }) => {
      const load = `requireTool(${JSON.stringify(path)}, import.meta.url)`;
      const exported = (TOOL_EXPORTS[path] ?? []).map((name) =>
        path === IMPORTED_AT_ONCE
          ? `export const ${name} = (...values) => ${load}.${name}(...values);`
          : `export const ${name} = ${load}.${name};`,
      );
      const contents = `import { requireTool } from "@evenbench/host/tools";\n${exported.join("\n")}\n`;
      return { contents, resolveDir: import.meta.dirname };
    });
  },
};

/** Puts a list of the package's commands in the place of the file that finds commands in a folder. */
const commandsOfThePackage: Plugin = {
  name: "commands-of-the-package",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]cli[\\/]src[\\/]find-commands\.ts$/ }, async () => ({
      contents: await commandList(),
      resolveDir: import.meta.dirname,
    }));
  },
};

/** Takes undici's client alone: the rest of its index is not used, and large. */
const clientOfUndici: Plugin = {
  name: "client-of-undici",
  setup({ onResolve, onLoad }) {
    const namespace = "client-of-undici";
    onResolve({ filter: /^undici$/ }, ({ resolveDir }) => ({
      path: "undici",
      namespace,
      pluginData: resolveDir,
    }));
    onLoad({ filter: /./, namespace }, ({ pluginData }) => ({
      contents: UNDICI_CLIENT,
      resolveDir: pluginData,
    }));
  },
};

/** Leaves out modules of which nothing is used: importing one of the repository's does nothing by itself. */
const withoutSideEffects: Plugin = {
  name: "without-side-effects",
  setup({ onResolve, resolve: find }) {
    onResolve({ filter: /^(?:@evenbench\/|\.)/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === withoutSideEffects || from.importer.includes("node_modules")) {
        return null;
      }
      const { importer, resolveDir, kind } = from;
      const found = await find(path, { importer, resolveDir, kind, pluginData: withoutSideEffects });
      return { ...found, sideEffects: false };
    });
  },
};

async function commandList(): Promise<string> {
  const modules = [...(await loadCommands())];
  const within = modules.filter(([, { worksOutside }]) => worksOutside);
  const others = modules.filter(([, { worksOutside }]) => !worksOutside);
  const imports = within.map(
    ([file], index) => `import * as command${index} from ${JSON.stringify(file)};\n`,
  );
  const names = within.map((_, index) => `command${index}`).join(", ");
  const inCloneOnly = JSON.stringify(others.map(([file]) => basename(file, ".ts")));
  return `${imports.join("")}export const findCommands = async () => ({ modules: [${names}], inCloneOnly: ${inCloneOnly} });\n`;
}

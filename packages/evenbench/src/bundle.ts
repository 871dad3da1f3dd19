import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadCommands } from "@evenbench/cli/commands";
import { TEXT_ENDINGS } from "@evenbench/host/text-imports";
import { build, type Plugin } from "esbuild";

const source = (file: string) => join(import.meta.dirname, file);

/** Source text that makes `require`, by which bundled CommonJS asks for modules of Node.js. */
const REQUIRE =
  'import { createRequire as $createRequire } from "node:module"; const require = $createRequire(import.meta.url);';

/** Source text in the place of undici's index. */
const UNDICI_CLIENT = `
export { default as buildConnector } from "undici/lib/core/connect.js";
export { default as Client } from "undici/lib/dispatcher/client.js";
`;

/**
 * Bundles the package's command line and programming interface for Node.js 20.
 *
 * @param dist the folder that takes the files.
 * @returns absolute paths of the sources of which something is in the bundle.
 */
export async function bundle(dist: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: {
      cli: source("cli.ts"),
      index: source("index.ts"),
      supervisor: fileURLToPath(import.meta.resolve("@evenbench/host/supervisor")),
    },
    loader: Object.fromEntries(TEXT_ENDINGS.map((ending) => [ending, "text" as const])),
    inject: [source("polyfills.ts")],
    outdir: dist,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["packaged"],
    banner: { js: REQUIRE },
    // Names stay, so that a stack says where it was.
    minifyWhitespace: true,
    minifySyntax: true,
    // Node.js prints the line of an error that nobody caught.
    lineLimit: 160,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [commandsOfThePackage, clientOfUndici, withoutSideEffects],
  });
  return Object.entries(metafile.outputs)
    .flatMap(([, { inputs }]) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => resolve(file));
}

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

/** Takes undici's client alone: parts of its index need a newer Node.js than 20. */
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
    onResolve({ filter: /^(?:@evenbench\/|\.|esbuild$)/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === withoutSideEffects || from.importer.includes("node_modules")) {
        return null;
      }
      const { importer, resolveDir, kind } = from;
      const found = await find(path, { importer, resolveDir, kind, pluginData: withoutSideEffects });
      return { ...found, sideEffects: false };
    });
  },
};

/** Writes the source of the list of commands. */
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

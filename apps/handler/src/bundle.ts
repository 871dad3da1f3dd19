import { dirname, join } from "node:path";
import type { OwnConfiguration } from "@evenbench/app-cloudflare/own-configuration";
import { nodeModules } from "@evenbench/bundle/deployable";
import { messageOf, UserError } from "@evenbench/core";
import { moduleFile } from "@evenbench/host";
import { type BuildOptions, build, type Loader, type Plugin, stop } from "esbuild";
import { elysiaAdapter } from "./elysia-adapter.ts";
import { filesBeside } from "./files-beside.ts";
import type { HandlerEntry } from "./find-entry.ts";
import type { HandlerSettings } from "./settings.ts";
import { webAssembly } from "./web-assembly.ts";

/**
 * Absolute path of the module that takes the place of @hono/node-server, and of Bun's server. It is bundled into the user's app, and is
 * JavaScript in the published package, too.
 */
const SERVED = join(dirname(moduleFile("apps/handler/src/node")), "served.js");

/** Specifiers of modules that only one runtime has. */
export const OF_RUNTIMES = /^(?:cloudflare|bun|deno):/;

/** Texts in the place of names by which code asks for its mode, which is production, and for Bun's variables. */
const DEFINED = {
  "Bun.env": "process.env",
  "process.env.NODE_ENV": '"production"',
  "import.meta.env": '{"PROD":true,"DEV":false,"SSR":true,"MODE":"production"}',
};

/** Conditions by which packages choose their files: as Node.js chooses, and as wrangler does. */
const CONDITIONS: Readonly<Record<BundledFor, readonly string[]>> = {
  node: ["node", "module"],
  worker: ["workerd", "worker", "browser", "module"],
};

/** Source text of a default export `own`, compiled where that can be: Workers let Elysia do it at their start alone. */
const COMPILED = 'typeof own?.compile === "function" ? own.compile() : own';

/** The kind of the bundler's warnings on files of that name, and on what they extend. */
const OF_TSCONFIG = "tsconfig.json";

/** What a bundle is made for: Vercel's functions run on Node.js. */
export type BundledFor = "node" | "worker";

/** A module that is to be bundled. */
interface HandlerBundle {
  readonly bundledFor: BundledFor;
  readonly folder: string;
  readonly entry: HandlerEntry;
  readonly outfile: string;
  readonly configuration: OwnConfiguration | null;
  /** Is called with a sentence for each part of tsconfig.json that has no effect. */
  readonly note: (sentence: string) => void;
}

/**
 * Bundles a user's module for a runtime, with the folder's own tsconfig.json.
 *
 * @returns the modules that it imports and that are not bundled, such as "cloudflare:workers" and "node:fs".
 * @throws {UserError} with the bundler's words.
 */
export async function bundleHandler({
  bundledFor,
  folder,
  entry,
  outfile,
  configuration,
  note,
}: HandlerBundle): Promise<readonly string[]> {
  const file = JSON.stringify(`./${entry.file}`);
  const contents =
    entry.kind === "module"
      ? `export * from ${file};\nimport own from ${file};\nexport default ${COMPILED};\n`
      : `import ${file};\nexport { default } from "evenbench:served";\n`;
  const isServed = entry.kind === "served";
  const replaced = isServed ? /^(?:@hono\/node-server|bun|evenbench:served)$/ : /^evenbench:served$/;
  const plugins = [
    served(replaced),
    elysiaAdapter(folder, bundledFor),
    webAssembly(bundledFor, outfile),
    nodeModules,
    filesBeside(outfile),
  ];
  const { metafile, warnings } = await bundleModules({
    stdin: { contents, resolveDir: folder, sourcefile: "evenbench-entry.js" },
    absWorkingDir: folder,
    outfile,
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: [...CONDITIONS[bundledFor]],
    define: { ...DEFINED, ...(isServed && { "Bun.serve": "serveOfBun" }), ...configuration?.define },
    inject: isServed ? [SERVED] : [],
    alias: { ...configuration?.alias },
    loader: loadersOf(configuration),
    external: ["cloudflare:*", "bun:*", "deno:*", "node:*"],
    plugins,
    // Beside the bundle, without a line in it: for profiles alone.
    sourcemap: "external",
  });
  for (const { id, location, text } of warnings) {
    if (id === OF_TSCONFIG) {
      note(`${location?.file ?? OF_TSCONFIG}: ${text}.`);
    }
  }
  const imported = Object.values(metafile?.outputs ?? {}).flatMap(({ imports }) => imports);
  return [...new Set(imported.map(({ path }) => path))];
}

/**
 * Bundles a server of Evenbench, which imports the user's bundle beside it as it is.
 *
 * @param name of its module here.
 */
export async function bundleServer(name: string, outfile: string, settings: HandlerSettings): Promise<void> {
  await bundleModules({
    entryPoints: [moduleFile(`apps/handler/src/${name}`)],
    outfile,
    alias: { "#behind/own-handler": "./handler.mjs" },
    external: ["./handler.mjs"],
    platform: name === "cloudflare" ? "neutral" : "node",
    define: { HANDLER_SETTINGS: JSON.stringify(settings) },
    tsconfigRaw: {},
  });
}

async function bundleModules(options: BuildOptions) {
  try {
    return await build({
      bundle: true,
      format: "esm",
      target: "es2024",
      legalComments: "none",
      logLevel: "silent",
      metafile: true,
      ...options,
    });
  } catch (error) {
    throw new UserError(
      `The module cannot be bundled: ${messageOf(error).replace(/^Build failed with /, "")}\nSee that your own build finds the same modules, and that all packages are installed.`,
    );
  } finally {
    await stop();
  }
}

/**
 * The loader of esbuild for each type of a wrangler module rule; rules of other types (ESModule, CommonJS)
 * need none.
 */
const LOADER_OF_RULE: Readonly<Record<string, Loader>> = { Text: "text", Data: "binary" };

/**
 * Loaders by ending of a file's name: those that wrangler has by itself, and above them a configuration's own
 * rules.
 */
function loadersOf(configuration: OwnConfiguration | null): Record<string, Loader> {
  const loaders: Record<string, Loader> = {
    ".txt": "text",
    ".html": "text",
    ".sql": "text",
    ".bin": "binary",
  };
  for (const { type, globs } of configuration?.rules ?? []) {
    const loader = LOADER_OF_RULE[type];
    if (loader === undefined) {
      continue;
    }
    const endings = globs.flatMap((glob) => /(\.\w+)$/.exec(glob)?.[1] ?? []);
    for (const ending of endings) {
      loaders[ending] = loader;
    }
  }
  return loaders;
}

function served(filter: RegExp): Plugin {
  return {
    name: "served",
    setup(bundler) {
      bundler.onResolve({ filter }, () => ({ path: SERVED }));
    },
  };
}

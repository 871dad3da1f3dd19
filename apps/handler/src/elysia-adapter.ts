import { dirname, join } from "node:path";
import { moduleFile } from "@evenbench/host";
import type { Plugin } from "esbuild";

/** Absolute path of the module that takes the place of Elysia. It is JavaScript in the published package, too. */
const ELYSIA = join(dirname(moduleFile("apps/handler/src/node")), "elysia.js");

/** Source texts of the adapter that Elysia has for each runtime. */
const ADAPTERS = {
  node: 'export { WebStandardAdapter as adapter } from "elysia/adapter/web-standard";',
  worker: 'export { CloudflareAdapter as adapter } from "elysia/adapter/cloudflare-worker";',
};

const ADAPTER = "evenbench:elysia-adapter";

/** Marks that Elysia itself is asked for. */
const ITSELF = { isElysiaItself: true };

/**
 * Makes a plugin that gives an app of Elysia the adapter of a runtime.
 *
 * @param folder of the app, in which Elysia is installed.
 */
export function elysiaAdapter(folder: string, runtime: keyof typeof ADAPTERS): Plugin {
  return {
    name: "elysia-adapter",
    setup(bundler) {
      bundler.onResolve({ filter: /^elysia$/ }, ({ importer, kind, pluginData }) => {
        if (pluginData === ITSELF) {
          return null;
        }
        return importer === ELYSIA
          ? bundler.resolve("elysia", { kind, resolveDir: folder, pluginData: ITSELF })
          : { path: ELYSIA };
      });
      bundler.onResolve({ filter: /^evenbench:elysia-adapter$/ }, () => ({
        path: ADAPTER,
        namespace: ADAPTER,
      }));
      bundler.onLoad({ filter: /.*/, namespace: ADAPTER }, () => ({
        contents: ADAPTERS[runtime],
        resolveDir: folder,
      }));
    },
  };
}

import { dirname, relative, resolve } from "node:path";
import { slashed } from "@evenbench/bundle/deployable";
import type { Plugin } from "esbuild";

/** The import of a module of WebAssembly, as Workers and Vercel's edge runtime have it. */
const WEB_ASSEMBLY = /\.wasm(?:\?module)?$/;

/** Why Node.js has none. */
const NOT_ON_NODE =
  "which Node.js gives no module as its default export (on Vercel the edge runtime does, to a function in api/)";

/**
 * Makes the plugin that leaves modules of WebAssembly to wrangler, which bundles what is bundled here. Node.js refuses
 * them: its own import of one has no default export.
 *
 * @param outfile absolute path of the bundle.
 */
export function webAssembly(runtime: "node" | "worker", outfile: string): Plugin {
  return {
    name: "web-assembly",
    setup(bundler) {
      bundler.onResolve({ filter: WEB_ASSEMBLY }, ({ path, resolveDir }) => {
        if (runtime === "node") {
          return {
            errors: [{ text: `${path} is WebAssembly, ${NOT_ON_NODE}` }],
          };
        }
        // A package's is resolved by wrangler.
        const file = path.startsWith(".")
          ? slashed(relative(dirname(outfile), resolve(resolveDir, path)))
          : path;
        return { path: file, external: true };
      });
    },
  };
}

import { existsSync } from "node:fs";
import { basename, join, matchesGlob, posix, resolve } from "node:path";
import { filesOf } from "@evenbench/bundle/deployable";
import { builtFile, HostError } from "@evenbench/host";
import mime from "mime-types";
import type { ModuleRule, WranglerConfiguration } from "./wrangler.ts";

/** Kinds of modules, as workerd.capnp names them. */
type ModuleKind = "esModule" | "commonJsModule" | "text" | "data" | "wasm";

/** A module of a Worker. */
export interface UploadedModule {
  /** Its path from the uploaded folder on. */
  readonly name: string;
  readonly kind: ModuleKind;
  /** Absolute path. */
  readonly file: string;
}

const KIND_OF_RULE: Readonly<Record<string, ModuleKind>> = {
  ESModule: "esModule",
  CommonJS: "commonJsModule",
  Text: "text",
  Data: "data",
  CompiledWasm: "wasm",
};

/** Wrangler's own rules, and .js, for which wrangler looks into the file. Those of wrangler.jsonc precede. */
const DEFAULT_RULES: readonly ModuleRule[] = [
  { type: "ESModule", globs: ["**/*.js", "**/*.mjs"] },
  { type: "CommonJS", globs: ["**/*.cjs"] },
  { type: "Text", globs: ["**/*.txt", "**/*.html", "**/*.sql"] },
  { type: "Data", globs: ["**/*.bin"] },
  { type: "CompiledWasm", globs: ["**/*.wasm", "**/*.wasm[?]module"] },
];

/**
 * Lists the modules of a Worker, the main one first. Files that no rule makes a module are left out, as they are when wrangler
 * uploads.
 */
export async function findModules(
  deployable: string,
  configuration: WranglerConfiguration,
): Promise<UploadedModule[]> {
  const upload = builtFile(deployable, "upload");
  const rules = [...(configuration.rules ?? []), ...DEFAULT_RULES];
  const modules: UploadedModule[] = [];
  for (const name of await filesOf(upload)) {
    const rule = rules.find(({ globs }) => globs.some((glob) => matchesGlob(name, glob)));
    const kind = rule && KIND_OF_RULE[rule.type];
    if (kind !== undefined) {
      modules.push({ name, kind, file: join(upload, name) });
    }
  }
  const main = posix.relative(configuration.base_dir ?? ".", configuration.main);
  if (!modules.some(({ name }) => name === main)) {
    throw new HostError(
      `wrangler.jsonc names "${configuration.main}" as main, but ${upload} has no such module. Build it again with \`npm run build\`.`,
    );
  }
  return modules.sort((a, b) => Number(b.name === main) - Number(a.name === main));
}

/** Static files that are served beside a Worker. */
export interface Assets {
  /** Absolute path of their folder. */
  readonly directory: string;
  /** Content types by path: "/favicon.ico". */
  readonly types: Readonly<Record<string, string>>;
}

/** Finds the assets of a Worker; null where it has none. */
export async function findAssets(
  deployable: string,
  { assets }: WranglerConfiguration,
): Promise<Assets | null> {
  if (assets === undefined) {
    return null;
  }
  const directory = resolve(join(deployable, assets.directory ?? "assets"));
  const types: Record<string, string> = {};
  for (const path of existsSync(directory) ? await filesOf(directory) : []) {
    // Read by the platform, and not served ("Static Assets: Headers, Redirects" in Cloudflare's documentation).
    if (path === "_headers" || path === "_redirects" || path === ".assetsignore") {
      continue;
    }
    types[`/${path}`] = mime.contentType(basename(path)) || "application/octet-stream";
  }
  return { directory, types };
}

/** The name of the module that serves assets, and of its binding to them. */
export const ASSETS_MODULE = "evenbench-assets.mjs";
export const ASSETS_BINDING = "EVENBENCH_ASSETS";

/** Writes the module that serves assets in front of the main module. */
export function assetsModule(main: string, { types }: Assets): string {
  return `import worker from ${JSON.stringify(`./${main}`)};
export * from ${JSON.stringify(`./${main}`)};
const types = new Map(${JSON.stringify(Object.entries(types))});
export default {
  ...worker,
  fetch(request, env, context) {
    const { url } = request;
    const start = url.indexOf("/", 8);
    const end = url.indexOf("?", start);
    const type = types.get(end === -1 ? url.slice(start) : url.slice(start, end));
    return type === undefined ? worker.fetch(request, env, context) : asset(request, env, type);
  },
};
async function asset(request, env, type) {
  if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
  const found = await env.${ASSETS_BINDING}.fetch(request);
  const headers = { "content-type": type, "cache-control": "public, max-age=0, must-revalidate" };
  return new Response(found.body, { status: found.status, headers });
}
`;
}

import { existsSync, readFileSync } from "node:fs";
import { basename, join, matchesGlob, posix, resolve } from "node:path";
import { filesOf } from "@evenbench/bundle/deployable";
import { builtFile, HostError } from "@evenbench/host";
import mime from "mime-types";
import { type AssetRules, needsAssetService } from "./asset-paths.ts";
import type { ModuleRule, WranglerConfiguration } from "./wrangler.ts";

/** Kinds of modules, as workerd.capnp names them; and a Worker that is a script, without modules. */
type ModuleKind = "esModule" | "commonJsModule" | "text" | "data" | "wasm" | "serviceWorkerScript";

/** Tells whether the text of a Worker, be it minified, is a script that listens for events: it exports nothing. */
export function isServiceWorker(text: string): boolean {
  return /\baddEventListener\(\s*["'`]fetch["'`]/.test(text) && !/(?:^|[;}])\s*export\b/m.test(text);
}

/** A module of a Worker. */
export interface UploadedModule {
  /** The path from the uploaded folder on. */
  readonly name: string;
  readonly kind: ModuleKind;
  /** Absolute path. */
  readonly file: string;
}

/** Kinds of modules by the types of wrangler's rules. */
const KIND_OF_RULE: Readonly<Record<string, ModuleKind>> = {
  ESModule: "esModule",
  CommonJS: "commonJsModule",
  Text: "text",
  Data: "data",
  CompiledWasm: "wasm",
};

/** Wrangler's own rules, and .js, for which wrangler looks into the file. Those of wrangler.json precede. */
const DEFAULT_RULES: readonly ModuleRule[] = [
  { type: "ESModule", globs: ["**/*.js", "**/*.mjs"] },
  { type: "CommonJS", globs: ["**/*.cjs"] },
  { type: "Text", globs: ["**/*.txt", "**/*.html", "**/*.sql"] },
  { type: "Data", globs: ["**/*.bin"] },
  { type: "CompiledWasm", globs: ["**/*.wasm", "**/*.wasm[?]module"] },
];

/**
 * Lists the modules of a Worker by its rules, the main one first.
 *
 * @throws {HostError} where the main module is not there.
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
  const first = modules.find(({ name }) => name === main);
  if (first === undefined) {
    throw new HostError(
      `wrangler.json names "${configuration.main}" as main, but ${upload} has no such module. Build it again with \`npm run build\`.`,
    );
  }
  const isScript = first.kind === "esModule" && isServiceWorker(readFileSync(first.file, "utf8"));
  return isScript
    ? [{ ...first, kind: "serviceWorkerScript" }]
    : [first, ...modules.filter((module) => module !== first)];
}

/** Static files that are served beside a Worker. */
export interface Assets {
  /** Absolute path of their folder. */
  readonly directory: string;
  /** Content types by path: "/favicon.ico". */
  readonly types: Readonly<Record<string, string>>;
  /** True where the platform's own service of files serves them; else they are sent as they lie there. */
  readonly needService: boolean;
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
  const files = existsSync(directory) ? await filesOf(directory) : [];
  for (const path of files) {
    // Read by the platform, and not served ("Static Assets: Headers, Redirects" in Cloudflare's documentation).
    if (path === "_headers" || path === "_redirects" || path === ".assetsignore") {
      continue;
    }
    types[`/${path}`] = mime.contentType(basename(path)) || "application/octet-stream";
  }
  const needService = needsAssetService(
    files.map((path) => `/${path}`),
    assets,
  );
  return { directory, types, needService };
}

/** The name of the module that serves assets. */
export const ASSETS_MODULE = "evenbench-assets.mjs";
/** The name of that module's binding to the assets. */
export const ASSETS_BINDING = "EVENBENCH_ASSETS";
/** The name under which the platform's router finds the Worker's own handler. */
export const WORKER_EXPORT = "EvenbenchWorker";

/**
 * Source text of two functions: one puts a check in front of a Worker's `fetch`; one gives a path as names of files
 * have it.
 */
const IN_FRONT = `function inFront(worker, answered) {
  if (typeof worker !== "function") {
    return {
      ...worker,
      fetch(request, env, context) {
        return answered(request, env) ?? worker.fetch(request, env, context);
      },
    };
  }
  return class extends worker {
    fetch(request) {
      return answered(request, this.env) ?? super.fetch(request);
    }
  };
}
function pathOf({ url }) {
  const start = url.indexOf("/", 8);
  const end = url.indexOf("?", start);
  const path = end === -1 ? url.slice(start) : url.slice(start, end);
  if (!/%|[/]{2}/.test(path)) return path;
  try {
    return decodeURIComponent(path).replace(/[/]+/g, "/");
  } catch {
    return path;
  }
}
`;

/** Writes the module that sends requests that may be files' to the platform's router, and others to the main module. */
export function routedAssetsModule(main: string, rules: AssetRules): string {
  const { paths, prefixes, workerFirst, never, notFound } = rules;
  return `import worker from ${JSON.stringify(`./${main}`)};
export * from ${JSON.stringify(`./${main}`)};
export const ${WORKER_EXPORT} = worker;
const paths = new Set(${JSON.stringify(paths)});
const prefixes = ${JSON.stringify(prefixes)};
const workerFirst = ${JSON.stringify(workerFirst)}.map((source) => new RegExp(source));
const never = ${JSON.stringify(never)}.map((source) => new RegExp(source));
const notFound = ${JSON.stringify(notFound)};
${IN_FRONT}export default inFront(worker, (request, env) =>
  mayBeFile(request) ? env.${ASSETS_BINDING}.fetch(request) : undefined);
function mayBeFile(request) {
  const path = pathOf(request);
  if (never.some((rule) => rule.test(path))) return true;
  if (workerFirst.some((rule) => rule.test(path))) return false;
  if (notFound === "all" || paths.has(path) || prefixes.some((prefix) => path.startsWith(prefix))) return true;
  return notFound === "navigation" && request.headers.get("sec-fetch-mode") === "navigate";
}
`;
}

/** Writes the module that serves assets in front of the main module. */
export function assetsModule(main: string, { types }: Assets): string {
  return `import worker from ${JSON.stringify(`./${main}`)};
export * from ${JSON.stringify(`./${main}`)};
const types = new Map(${JSON.stringify(Object.entries(types))});
${IN_FRONT}export default inFront(worker, (request, env) => {
  const type = types.get(pathOf(request));
  return type === undefined ? undefined : asset(request, env, type);
});
async function asset(request, env, type) {
  if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
  const found = await env.${ASSETS_BINDING}.fetch(request);
  const headers = { "content-type": type, "cache-control": "public, max-age=0, must-revalidate" };
  return new Response(found.body, { status: found.status, headers });
}
`;
}

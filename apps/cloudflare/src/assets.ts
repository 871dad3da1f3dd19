import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import mime from "mime-types";
import type { WranglerConfiguration } from "./wrangler-configuration.ts";

/** Static files of a Worker, which the platform answers before the Worker is asked. */
export interface Assets {
  /** Absolute. */
  readonly directory: string;
  /** Content types of files by their path, such as "/_next/static/a.js". */
  readonly types: Readonly<Record<string, string>>;
}

/** The assets that wrangler.jsonc names, or null where it names none. */
export async function findAssets(
  deployable: string,
  { assets }: WranglerConfiguration,
): Promise<Assets | null> {
  if (assets === undefined) return null;
  const directory = resolve(join(deployable, assets.directory ?? "assets"));
  const types: Record<string, string> = {};
  const entries = existsSync(directory)
    ? await readdir(directory, { recursive: true, withFileTypes: true })
    : [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = relative(directory, join(entry.parentPath, entry.name)).split(sep).join(posix.sep);
    // Read by the platform, and not served ("Static Assets: Headers, Redirects" in Cloudflare's documentation).
    if (path === "_headers" || path === "_redirects" || path === ".assetsignore") continue;
    types[`/${path}`] = mime.contentType(entry.name) || "application/octet-stream";
  }
  return { directory, types };
}

/** The name of the module that stands in front of the Worker where it has assets, and of the binding that it needs. */
export const ASSETS_MODULE = "evenbench-assets.mjs";
export const ASSETS_BINDING = "EVENBENCH_ASSETS";

/**
 * What the platform's own asset layer does, in front of the Worker: the path of a file is answered with the
 * file.
 */
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

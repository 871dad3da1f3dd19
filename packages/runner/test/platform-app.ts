import { join } from "node:path";
import { discoverPlatforms } from "@evenbench/host";
import { writeFiles } from "@evenbench/host/testing/folder";
import type { LocalTarget } from "../src/options.ts";
import { ownAppTarget } from "../src/own-targets.ts";

/** What an app does beside answering "ok". */
interface AppSource {
  /** Statements at the begin of its module. */
  readonly atStart?: string;
  /** Statements in each request. */
  readonly inRequest?: string;
  /** Source text of a handler beside it, around which it is Evenbench's own server. Workers have none. */
  readonly handler?: string;
}

/** What a Worker sends for `new Response("ok")`, in the words of Node.js. */
const ANSWER = 'response.writeHead(200, { "content-type": "text/plain;charset=UTF-8" }).end("ok")';

/** The files of an app, by platform. */
const FILES: Readonly<Record<string, (source: AppSource) => Parameters<typeof writeFiles>[1]>> = {
  cloudflare: ({ atStart = "", inRequest = "" }) => ({
    "wrangler.json": {
      name: "app",
      main: "upload/worker.js",
      base_dir: "upload",
      compatibility_date: "2026-11-01",
    },
    "upload/worker.js": `${atStart};
export default { fetch() { ${inRequest}; return new Response("ok"); } };
`,
  }),
  node: ({ atStart = "", inRequest = "", handler }) => ({
    ...(handler !== undefined && { "handler.mjs": handler }),
    "server.mjs": `import { createServer } from "node:http";
${atStart};
const server = createServer((_, response) => { ${inRequest}; ${ANSWER}; });
server.listen(Number(process.env.PORT), process.env.HOST);
process.once("SIGTERM", () => process.exit(0));
`,
  }),
  vercel({ atStart = "", inRequest = "", handler }) {
    const module = handler === undefined ? "index.mjs" : "evenbench-function.mjs";
    return {
      "config.json": { version: 3 },
      "functions/index.func/.vc-config.json": {
        runtime: "nodejs24.x",
        handler: module,
        launcherType: "Nodejs",
      },
      ...(handler !== undefined && { "functions/index.func/handler.mjs": handler }),
      [`functions/index.func/${module}`]: `${atStart};
export default (_, response) => { ${inRequest}; ${ANSWER}; };
`,
    };
  },
};

/** Writes an app for a platform into a folder, and makes its target, which has the platform's name. */
export async function platformApp(folder: string, id: string, source: AppSource): Promise<LocalTarget> {
  const platform = (await discoverPlatforms()).find((each) => each.id === id);
  if (platform === undefined) {
    throw new Error(`No platform ${id}.`);
  }
  const deployable = writeFiles(join(folder, `app-${id}`), FILES[id]?.(source) ?? {});
  const built = { deployable, sources: deployable, environment: {}, readyPath: "/", builtFrom: "files" };
  return ownAppTarget({ platform, ...built }, { method: "GET", headers: {}, body: null });
}

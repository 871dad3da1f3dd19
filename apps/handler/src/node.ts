import { fileURLToPath } from "node:url";
import { endAtSigterm, webServerOptions } from "@evenbench/host/web-server";
import { serve } from "srvx/node";
import { staticMiddleware } from "srvx/static";
import { answering } from "./environment.ts";
import { settings } from "./settings.ts";

const answer = answering((work) => {
  work.catch((error: unknown) => console.error("Work in waitUntil failed:", error));
});
const assets = new Set(settings.assets);
const files = staticMiddleware({ dir: fileURLToPath(new URL("public", import.meta.url)), compress: false });

async function answerWithFiles(request: Request): Promise<Response> {
  if (!assets.has(fileOf(new URL(request.url)))) {
    return answer(request);
  }
  const file = await files(request as never, () => answer(request));
  // The handler is not asked (RFC 9211, 2.1).
  file.headers.set("cache-status", "public; hit");
  return file;
}

/** Gives the path of a URL as names of files have it. */
function fileOf({ pathname }: URL): string {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}

const fetch = assets.size === 0 ? answer : answerWithFiles;
endAtSigterm(serve({ ...webServerOptions(process.env), fetch }));

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Routed } from "./router.ts";

/** The header that says which function a path has led to. */
export const MATCHED_PATH = "x-matched-path";

/** What Vercel's proxy adds ("Request headers" in its documentation), as far as it means something here. */
export function setRequestHeaders(
  headers: IncomingHttpHeaders,
  address: string | undefined,
  matchedPath: string,
): void {
  headers["x-forwarded-for"] = address;
  headers["x-forwarded-host"] = headers.host;
  headers["x-forwarded-proto"] = "http";
  headers[MATCHED_PATH] = matchedPath;
}

/** Says what Vercel's CDN says of files, and of answers that it keeps, where no route says anything about them. */
export function setCacheControl(routed: Routed<unknown>, response: ServerResponse): void {
  if (!response.hasHeader("cache-control") && !routed.headers.has("cache-control")) {
    response.setHeader("cache-control", "public, max-age=0, must-revalidate");
  }
}

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { MATCHED_PATH, type Routed } from "./router.ts";

/** Adds the headers of Vercel's proxy ("Request headers" in its documentation), as far as they mean something here. */
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

/** Sets the header that Vercel's CDN gives to files, and to answers that it keeps, where no route sets it. */
export function setCacheControl(routed: Routed<unknown>, response: ServerResponse): void {
  if (!response.hasHeader("cache-control") && !routed.headers.has("cache-control")) {
    response.setHeader("cache-control", "public, max-age=0, must-revalidate");
  }
}

import { wholeResponse } from "./whole-response.ts";

/** A problem document (RFC 9457). `type` is "about:blank": the status code says what kind it is. */
export interface Problem {
  readonly type: "about:blank";
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly [extension: string]: unknown;
}

/** The response that carries a problem: `application/problem+json`, never cached. */
export function problemResponse(
  status: number,
  title: string,
  detail: string,
  extensions: Readonly<Record<string, unknown>> = {},
): Response {
  const problem: Problem = { type: "about:blank", title, status, detail, ...extensions };
  const response = wholeResponse(`${JSON.stringify(problem)}\n`, "application/problem+json", status);
  response.headers.set("cache-control", "no-store");
  return response;
}

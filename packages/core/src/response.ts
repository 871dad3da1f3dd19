const encoder = new TextEncoder();

/** Makes a response whose body is sent at once, with its length named before. @param status default: 200. */
export function wholeResponse(
  body: string | Uint8Array<ArrayBuffer>,
  contentType: string,
  status = 200,
): Response {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  return new Response(bytes, {
    status,
    headers: { "content-type": contentType, "content-length": String(bytes.byteLength) },
  });
}

/** Makes a problem document (RFC 9457), which no cache keeps. @param extensions further members of it. */
export function problemResponse(
  status: number,
  title: string,
  detail: string,
  extensions: Readonly<Record<string, unknown>> = {},
): Response {
  // "about:blank": the status code says what kind it is.
  const problem = { type: "about:blank", title, status, detail, ...extensions };
  const response = wholeResponse(`${JSON.stringify(problem)}\n`, "application/problem+json", status);
  response.headers.set("cache-control", "no-store");
  return response;
}

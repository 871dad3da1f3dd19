const encoder = new TextEncoder();

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

/** A problem document (RFC 9457) as its parts, for servers that do not speak in Response objects. */
export interface ProblemParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TYPE = "application/problem+json";
const NEVER_CACHED = { "cache-control": "no-store" };

export function problemParts(
  status: number,
  title: string,
  detail: string,
  extensions: Readonly<Record<string, unknown>> = {},
): ProblemParts {
  // "about:blank": the status code says what kind it is.
  const problem = { type: "about:blank", title, status, detail, ...extensions };
  const headers = { "content-type": TYPE, ...NEVER_CACHED };
  return { status, headers, body: `${JSON.stringify(problem)}\n` };
}

export function problemResponse(...problem: Parameters<typeof problemParts>): Response {
  return responseOf(problemParts(...problem));
}

export function responseOf({ status, headers, body }: ProblemParts): Response {
  const response = wholeResponse(body, TYPE, status);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

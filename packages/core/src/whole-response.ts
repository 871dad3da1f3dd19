const encoder = new TextEncoder();

/** A response whose body is known as a whole, with its `content-length`. */
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

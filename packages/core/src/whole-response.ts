const encoder = new TextEncoder();

/**
 * A response whose body is known as a whole, with its `content-length`.
 *
 * Workers set that header themselves for such a body, Node.js adapters cannot know the length and would send it in
 * chunks: the wire would differ. A body without `content-length` is a stream to everything in this project.
 *
 * @param contentType with its charset for text, such as "text/html; charset=utf-8".
 */
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

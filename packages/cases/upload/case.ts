import { defineCase, wholeResponse } from "@evenbench/core";

export default defineCase({
  title: "An upload",
  kind: "request body",
  description: "Reads a request body of 1 MB part by part, and answers its length and its SHA-256.",
  sends: {
    method: "POST",
    contentType: "text/plain",
    repeated: "The same line of text again and again, until there is a megabyte of it.\n",
    bytes: 1_000_000,
  },
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 94,
    sha256: "f0eb645333c09fb80a50db2c54cb7510418ee79799f5aa3e3c5ca63ec649dc71",
  },
  async handle(request) {
    const bytes = await readAll(request);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return wholeResponse(`${JSON.stringify({ bytes: bytes.byteLength, sha256 })}\n`, "application/json");
  },
});

/** Reads a body as those do who look at its parts as they come. */
async function readAll({ body }: Request): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (body !== null) {
    const reader = body.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      parts.push(read.value);
      length += read.value.byteLength;
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

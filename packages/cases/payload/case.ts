import { defineCase, wholeResponse } from "@evenbench/core";

const CONTENT_TYPE = "text/plain; charset=utf-8";
const LINE = "The same text again and again, so that only its length matters.\n";
/** Over the largest body of any case, which is what this one stands beside. */
const MAXIMUM_BYTES = 32 * 1024 * 1024;

export default defineCase({
  title: "Payload",
  kind: "bare request",
  description: "Constant text and no work: what the bytes of another case cost on the way.",
  parameters: {
    bytes: {
      type: "integer",
      default: 100_000,
      minimum: 0,
      maximum: MAXIMUM_BYTES,
      description: "Length of the body.",
    },
    chunks: {
      type: "integer",
      default: 1,
      minimum: 1,
      maximum: 10_000,
      description: "Parts of a streamed body; 1 sends it whole.",
    },
  },
  golden: {
    status: 200,
    contentType: "text/plain",
    bytes: 100_000,
    sha256: "ebafe767d15e20d48d30952ccc48f4e551fa8058cae4e50f1c1237569d8feb1d",
  },
  handle(_request, { bytes, chunks }) {
    const body = constantText(bytes);
    // A part has at least one byte.
    const parts = Math.min(chunks, bytes);
    if (parts <= 1) {
      return wholeResponse(body, CONTENT_TYPE);
    }
    return new Response(inParts(body, parts), { headers: { "content-type": CONTENT_TYPE } });
  },
});

let text = new Uint8Array(0);

/** The first bytes of the endless text. Kept between requests: making it is not what is measured. */
function constantText(bytes: number): Uint8Array<ArrayBuffer> {
  if (text.byteLength < bytes) {
    text = new TextEncoder().encode(LINE.repeat(Math.ceil(bytes / LINE.length)));
  }
  return text.subarray(0, bytes);
}

function inParts(body: Uint8Array, parts: number): ReadableStream<Uint8Array> {
  let part = 0;
  return new ReadableStream({
    pull(controller) {
      const start = Math.floor((part * body.byteLength) / parts);
      part += 1;
      const end = Math.floor((part * body.byteLength) / parts);
      controller.enqueue(body.subarray(start, end));
      if (part === parts) {
        controller.close();
      }
    },
  });
}

import { defineCase } from "@evenbench/core";

/** Length of the body: 1 MiB. */
const BODY_BYTES = 1_048_576;
const LINE = new TextEncoder().encode("a transforming stream changes every byte of every chunk on its way\n");
/** The difference between a small and a capital letter in ASCII. */
const CASE_BIT = 0x20;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;

export default defineCase({
  title: "A transforming stream",
  kind: "streams",
  description: "Sends 1 MB of small chunks through a TransformStream that writes every letter as a capital.",
  parameters: {
    chunk: {
      type: "integer",
      default: 1024,
      minimum: 256,
      maximum: 65_536,
      description: "Length of a chunk in bytes.",
    },
    stages: {
      type: "integer",
      default: 1,
      minimum: 1,
      maximum: 4,
      description: "Transforming streams, one behind the other.",
    },
  },
  golden: {
    status: 200,
    contentType: "text/plain",
    bytes: 1048576,
    sha256: "0c338260920e8ff53ed44b14ef1eb78f55b9816c959d355910ff17348addc102",
  },
  handle(_request, { chunk, stages }) {
    let body = chunksOf(chunk);
    for (let stage = 0; stage < stages; stage++) {
      body = body.pipeThrough(new TransformStream({ transform: enqueueCapitals }));
    }
    return new Response(body, { headers: { "content-type": "text/plain; charset=utf-8" } });
  },
});

/** Streams the lines as chunks of this length, each made anew; the last one may be shorter. */
function chunksOf(length: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = new Uint8Array(Math.min(length, BODY_BYTES - sent));
      for (let at = 0; at < chunk.length; at++) {
        chunk[at] = LINE[(sent + at) % LINE.length] as number;
      }
      sent += chunk.length;
      controller.enqueue(chunk);
      if (sent === BODY_BYTES) {
        controller.close();
      }
    },
  });
}

function enqueueCapitals(
  chunk: Uint8Array<ArrayBuffer>,
  controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>,
): void {
  controller.enqueue(chunk.map((byte) => (byte >= SMALL_A && byte <= SMALL_Z ? byte - CASE_BIT : byte)));
}

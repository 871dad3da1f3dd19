import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { defineCase } from "@evenbench/core";

const CHUNK_BYTES = 1024;
const CHUNKS = 5 * 1024;

export default defineCase({
  title: "One body, five ways to stream it",
  kind: "streams",
  description:
    "Sends 5 MB made of 5,120 small chunks: through needless copies, as a stream of values, as a stream of bytes, or piped.",
  parameters: {
    how: {
      type: "choice",
      default: "bytes",
      choices: ["concat", "from", "values", "bytes", "pipe"],
      description:
        "concat: joined, then Readable.toWeb(Readable.from()); from: ReadableStream.from(); values: pulled one by one; bytes: a byte stream; pipe: through an identity transform.",
    },
  },
  golden: {
    status: 200,
    contentType: "application/octet-stream",
    bytes: 5242880,
    sha256: "ca99b0d1ac571dc9b360133714b8cd196699962b7483f099d40bdf3eead659ae",
  },
  handle: (_request, { how }) =>
    new Response(streams[how](), { headers: { "content-type": "application/octet-stream" } }),
});

const PATTERN = Uint8Array.from({ length: CHUNK_BYTES + 128 }, (_, at) => at & 0x7f);

/** Anew for each request: a byte stream takes its chunks' memory away. */
function makeChunk(index: number): Uint8Array<ArrayBuffer> {
  const start = index & 0x7f;
  return PATTERN.slice(start, start + CHUNK_BYTES);
}

function* chunks(): Generator<Uint8Array<ArrayBuffer>> {
  for (let index = 0; index < CHUNKS; index++) {
    yield makeChunk(index);
  }
}

function valueStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
  const source = chunks();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = source.next();
      if (done) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
  });
}

/** The standard's `from`, which the type of the DOM library lacks and both runtimes have. */
interface StreamsFrom {
  from(chunks: Iterable<Uint8Array>): ReadableStream;
}

/** The five ways, by the value of the parameter. */
const streams = {
  concat: () => Readable.toWeb(Readable.from(Buffer.concat([...chunks()]))) as ReadableStream,
  from: () => (ReadableStream as typeof ReadableStream & StreamsFrom).from(chunks()),
  values: valueStream,
  bytes() {
    const source = chunks();
    return new ReadableStream(
      {
        type: "bytes",
        pull(controller) {
          const { done, value } = source.next();
          if (done) {
            controller.close();
          } else {
            controller.enqueue(value);
          }
        },
      },
      { highWaterMark: 4096 },
    );
  },
  pipe: () => valueStream().pipeThrough(new TransformStream()),
} as const;

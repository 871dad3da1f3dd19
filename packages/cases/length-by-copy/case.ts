import { Buffer } from "node:buffer";
import { defineCase, wholeResponse } from "@evenbench/core";

const CHUNK_BYTES = 1024;

export default defineCase({
  title: "Length by copying",
  kind: "memory",
  description:
    "Finds the total length of many chunks by joining them, as an adapter once did, or by adding up their lengths.",
  parameters: {
    chunks: { type: "integer", default: 5000, minimum: 1, maximum: 20_000, description: "Chunks of 1 KiB." },
    how: {
      type: "choice",
      default: "concat",
      choices: ["concat", "sum"],
      description: "Join and ask, or add.",
    },
  },
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 48,
    sha256: "663fb1fbb8aafb497cb8c8bc5aa8fcfc62d68d22ef8beb96b800a28a467b73e9",
  },
  handle(_request, { chunks, how }) {
    const parts = firstChunks(chunks);
    const length =
      how === "concat"
        ? Buffer.concat(parts).byteLength
        : parts.reduce((sum, part) => sum + part.byteLength, 0);
    return wholeResponse(`${JSON.stringify({ chunks, how, length })}\n`, "application/json");
  },
});

/** The chunks are the input, not the work: an instance makes each of them once. */
const input: Uint8Array[] = [];

function firstChunks(count: number): Uint8Array[] {
  while (input.length < count) {
    input.push(new Uint8Array(CHUNK_BYTES).fill(input.length & 0xff));
  }
  return input.slice(0, count);
}

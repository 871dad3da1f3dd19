import { defineCase, wholeResponse } from "@evenbench/core";

export default defineCase({
  title: "Length by copying",
  description:
    "Finds the total length of many chunks by joining them, as an adapter once did, or by adding up their lengths.",
  parameters: {
    chunks: { type: "integer", default: 2000, minimum: 1, maximum: 20_000, description: "Chunks of 1 KiB." },
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
    sha256: "660fe206ef95d38e4a226c835cf3ec528fd17b4dc828f614af2b03e97eeef95c",
  },
  headline: "lastByteMs",
  handle(_request, { chunks, how }) {
    const parts = Array.from({ length: chunks }, (_, index) => new Uint8Array(1024).fill(index & 0xff));
    const length =
      how === "concat" ? joined(parts).byteLength : parts.reduce((sum, part) => sum + part.byteLength, 0);
    return wholeResponse(`${JSON.stringify({ chunks, how, length })}\n`, "application/json");
  },
});

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

import { createHash } from "node:crypto";
import type { Expectation } from "@evenbench/probe";

/** The answer of a target that works. */
export const BODY = "All targets send the same text.\n".repeat(200);

/** Gives the expectation that preflight would have of a target that answers with this text. */
export function expectedOf(body: string): Expectation {
  const text = { status: 200, contentType: "text/plain", masks: [], variation: null, isPage: false };
  const sha256 = createHash("sha256").update(body).digest("hex");
  return { ...text, bytes: Buffer.byteLength(body), sha256 };
}

/** The expectation of `BODY`. */
export const expected: Expectation = expectedOf(BODY);

/** Fields of the line of a request that was answered as it should be, but for its times. */
export const answered = {
  status: 200,
  instanceId: null,
  served: null,
  inFlight: null,
  edge: null,
  isChecked: true,
  error: null,
};

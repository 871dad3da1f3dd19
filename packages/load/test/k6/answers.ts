import { createHash } from "node:crypto";

export const BODY = "All targets send the same text.\n".repeat(200);

/** What preflight would find of a target that answers with this text. */
export function expectedOf(body: string) {
  const text = { status: 200, contentType: "text/plain", masks: [], variation: null, isPage: false };
  const sha256 = createHash("sha256").update(body).digest("hex");
  return { ...text, bytes: Buffer.byteLength(body), sha256 };
}

export const expected = expectedOf(BODY);

/** What the line of a request says that was answered as it should be, but for its times. */
export const answered = {
  status: 200,
  instanceId: null,
  served: null,
  inFlight: null,
  edge: null,
  isChecked: true,
  error: null,
};

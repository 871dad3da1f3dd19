import { defineCase, wholeResponse } from "@evenbench/core";

const ANSWER = `${JSON.stringify({ items: Array.from({ length: 10 }, (_, id) => ({ id, name: `Item ${id}` })) })}\n`;

/** The framework's own round trip: a route handler with next to nothing to do. */
export default defineCase({
  title: "Next.js route handler",
  description: "A small JSON from a route handler: what the framework costs without a page.",
  parameters: {},
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 262,
    sha256: "776efac3223c0db3793de759d5011645ce9b27865662a1a712eee14ba0ab8f22",
  },
  headline: "lastByteMs",
  warmAfter: { cloudflare: 9, node: 129, vercel: 129 },
  handle: () => wholeResponse(ANSWER, "application/json"),
});

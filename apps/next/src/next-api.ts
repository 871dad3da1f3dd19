import { defineCase, wholeResponse } from "@evenbench/core";

const ANSWER = `${JSON.stringify({ items: Array.from({ length: 10 }, (_, id) => ({ id, name: `Item ${id}` })) })}\n`;

/** The framework's own floor: a route handler with next to nothing to do. */
export default defineCase({
  title: "Next.js route handler",
  description: "A small JSON from a route handler: what the framework costs without a page.",
  parameters: {},
  golden: null,
  headline: "lastByteMs",
  handle: () => wholeResponse(ANSWER, "application/json"),
});

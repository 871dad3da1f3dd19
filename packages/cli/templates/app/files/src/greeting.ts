import { defineCase, wholeResponse } from "@evenbench/core";

const ANSWER = `${JSON.stringify({ hello: "world" })}\n`;

export default defineCase({
  title: "Greeting",
  kind: "template-app",
  description: "A small JSON: what the app costs without a page.",
  parameters: {},
  // The first preflight prints what to write here.
  golden: null,
  headline: "lastByteMs",
  handle: () => wholeResponse(ANSWER, "application/json"),
});

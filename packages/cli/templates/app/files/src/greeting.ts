import { defineCase, wholeResponse } from "@evenbench/core";

export default defineCase({
  title: "Greeting",
  kind: "template-app",
  description: "A small page: what the app costs with next to nothing to do.",
  parameters: {},
  // The first preflight prints what to write here.
  golden: null,
  headline: "lastByteMs",
  handle: () => wholeResponse("<!doctype html><title>Hello</title><p>Hello\n", "text/html; charset=utf-8"),
});

import { defineCase } from "@evenbench/core";

export default defineCase({
  title: "Empty",
  kind: "bare request",
  description: "No work and no body: the round trip to the target that every other case contains.",
  parameters: {},
  golden: {
    status: 204,
    contentType: null,
    bytes: 0,
    sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  },
  handle: () => new Response(null, { status: 204 }),
});

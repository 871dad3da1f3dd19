import { runtimeFacts } from "@evenbench/core";
import { createHandler } from "#behind/artifact";

export default {
  fetch: createHandler({
    platform: "bun",
    nodeEnv: process.env.NODE_ENV,
    facts: () => ({
      ...runtimeFacts(),
      runtime: `Bun ${process.versions.bun}`,
      // Its process.versions names a V8 that it does not have.
      v8: null,
      v8Flags: null,
      engine: `JavaScriptCore ${process.versions.webkit}`,
      adapter: "none: Bun.serve",
    }),
  }),
};

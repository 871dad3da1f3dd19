import { runtimeFacts } from "@evenbench/core";
import { createHandler } from "#behind/artifact";

/** Compatibility date and flags, which the build fills in. */
declare const COMPATIBILITY: string;

/** The Worker of the artifact. */
export default {
  fetch: createHandler({
    platform: "cloudflare",
    // The variables of wrangler.json are in process.env.
    nodeEnv: process.env.NODE_ENV,
    facts: () => ({
      ...runtimeFacts(),
      compatibility: COMPATIBILITY,
    }),
  }),
};

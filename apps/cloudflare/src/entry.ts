import { runtimeFacts } from "@evenbench/core";
import { createHandler } from "#behind/artifact";

declare const COMPATIBILITY: string;

export default {
  fetch: createHandler({
    platform: "cloudflare",
    // The variables of wrangler.jsonc are in process.env.
    nodeEnv: process.env.NODE_ENV,
    facts: () => ({
      ...runtimeFacts(),
      compatibility: COMPATIBILITY,
    }),
  }),
};

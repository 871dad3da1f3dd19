// What answers requests, on any runtime with web standards. The platform puts the guard in front of this module.
import { runtimeFacts } from "@evenbench/core";
import { createHandler } from "./artifact/index.mjs";

export default {
  fetch: createHandler({
    platform: "template-platform",
    nodeEnv: process.env.NODE_ENV,
    facts: () => ({ ...runtimeFacts(), adapter: process.env.ADAPTER ?? null }),
  }),
};

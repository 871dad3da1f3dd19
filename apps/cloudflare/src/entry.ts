// The Worker: the artifact's handler and nothing else.
import { createHandler } from "./artifact/index.mjs";

/** Filled in by the build, from wrangler.jsonc. */
declare const COMPATIBILITY: string;

// The variables of wrangler.jsonc are in process.env. The EVENBENCH_ ones are the local host's; a deployed Worker is
// told neither workerd's version nor V8's.
const { env } = process;

export default {
  fetch: createHandler({
    platform: "cloudflare",
    nodeEnv: env.NODE_ENV,
    facts: () => ({
      runtime: env.EVENBENCH_RUNTIME ?? navigator.userAgent,
      v8: env.EVENBENCH_V8 ?? null,
      compatibility: COMPATIBILITY,
      v8Flags: env.EVENBENCH_V8_FLAGS ?? null,
      build: env.EVENBENCH_BUILD ?? null,
      region: null,
    }),
  }),
};

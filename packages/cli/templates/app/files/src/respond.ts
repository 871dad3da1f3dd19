import { createResponder, indexOf } from "@evenbench/bundle/framework";
import { handlers } from "./cases.ts";

/** Answers every request, on every platform. `process.env.NODE_ENV`, `EVENBENCH_PLATFORM` and `BUILT_WITH` are filled in by the build. */
export const respond = createResponder(
  {
    app: "template-app",
    label: "template-app 0.1.0",
    pins: { "nodeEnv.artifact": String(process.env.NODE_ENV) },
    cases: indexOf(handlers, []),
  },
  { platform: process.env.EVENBENCH_PLATFORM, adapter: process.env.BUILT_WITH },
);

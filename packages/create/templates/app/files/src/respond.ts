import { createResponder, indexOf } from "@evenbench/framework";
import { handlers } from "./cases.ts";

/** Answers every request, on every platform. `process.env.NODE_ENV` and `BUILT_WITH` are filled in by the build. */
export const respond = createResponder(
  {
    app: "template-app",
    label: "template-app 0.1.0",
    pins: { "nodeEnv.artifact": String(process.env.NODE_ENV) },
    cases: indexOf(handlers, []),
  },
  process.env.BUILT_WITH,
);

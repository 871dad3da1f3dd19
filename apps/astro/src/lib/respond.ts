import { createResponder, indexOf } from "@evenbench/bundle/framework";
import { version } from "astro/package.json";
import { handlers, pages } from "./cases.ts";

/** What the build made the pages for. */
export const builtFor = import.meta.env.PROD ? "production" : "development";

/** Answers everything but the pages. */
export const respond = createResponder(
  {
    app: "astro",
    label: `Astro ${version}`,
    pins: { "nodeEnv.artifact": builtFor, astro: version },
    cases: indexOf(handlers, pages),
  },
  { platform: EVENBENCH_PLATFORM, adapter: BUILT_WITH },
);

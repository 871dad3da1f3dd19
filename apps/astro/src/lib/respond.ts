import { createResponder, indexOf } from "@evenbench/bundle/framework";
import astro from "astro/package.json" with { type: "json" };
import { handlers, pages } from "./cases.ts";

export const respond = createResponder(
  {
    app: "astro",
    label: `Astro ${astro.version}`,
    pins: { "nodeEnv.artifact": BUILT_FOR, astro: astro.version },
    cases: indexOf(handlers, pages),
  },
  { platform: EVENBENCH_PLATFORM, adapter: BUILT_WITH },
);

import { createResponder } from "@evenbench/bundle/framework";
import astro from "astro/package.json" with { type: "json" };
import { index } from "./cases.ts";

/** Answers requests for the cases that are no pages of Astro, and for `/identity`. */
export const respond = createResponder({
  app: "astro",
  label: `Astro ${astro.version}`,
  platform: EVENBENCH_PLATFORM,
  adapter: BUILT_WITH,
  pins: { "nodeEnv.artifact": BUILT_FOR, astro: astro.version },
  cases: index,
});

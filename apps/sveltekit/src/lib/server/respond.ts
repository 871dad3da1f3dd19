import { createResponder, indexOf } from "@evenbench/bundle/framework";
import { VERSION as kitVersion } from "@sveltejs/kit";
import { version as svelteVersion } from "svelte/package.json";
import { handlers, pages } from "../cases.ts";

export const builtFor = import.meta.env.PROD ? "production" : "development";

export const respond = createResponder(
  {
    app: "sveltekit",
    label: `SvelteKit ${kitVersion}`,
    pins: { "nodeEnv.artifact": builtFor, svelte: svelteVersion, sveltekit: kitVersion },
    cases: indexOf(handlers, pages),
  },
  { platform: EVENBENCH_PLATFORM, adapter: BUILT_WITH },
);

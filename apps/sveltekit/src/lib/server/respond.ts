import { createResponder } from "@evenbench/bundle/framework";
import { VERSION as kitVersion } from "@sveltejs/kit";
import { version as svelteVersion } from "svelte/package.json";
import { index } from "../cases.ts";

/** The value of NODE_ENV that the app was built for. */
export const builtFor = import.meta.env.PROD ? "production" : "development";

const respond = createResponder({
  app: "sveltekit",
  label: `SvelteKit ${kitVersion}`,
  platform: EVENBENCH_PLATFORM,
  adapter: BUILT_WITH,
  pins: { "nodeEnv.artifact": builtFor, svelte: svelteVersion, sveltekit: kitVersion },
  cases: index,
});

/** Handler of requests, for the routes that are no pages. */
export const GET = ({ request }: { readonly request: Request }): Promise<Response> => respond(request);

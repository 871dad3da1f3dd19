import { appCases, definePage } from "@evenbench/bundle/framework";

export const { index, manifests } = appCases("sveltekit", [
  definePage({
    id: "sveltekit-page",
    source: "apps/sveltekit/src/routes/sveltekit-page/+page.svelte",
    title: "SvelteKit page",
    kind: "SvelteKit",
    description:
      "The complex page, computed in a server load, rendered, and its data serialised for the browser.",
    streams: false,
    scatter: 0.08,
  }),
]);

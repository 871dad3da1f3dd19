import { appCases, definePage } from "@evenbench/bundle/framework";

export const { index, manifests } = appCases("astro", [
  definePage({
    id: "astro-page",
    source: "apps/astro/src/pages/astro-page.astro",
    title: "Astro page",
    kind: "Astro",
    description: "The complex page, computed and rendered by Astro components, without data for the browser.",
    streams: false,
  }),
]);

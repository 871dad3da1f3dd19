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
  definePage({
    id: "astro-landing",
    source: "apps/astro/src/pages/astro-landing.astro",
    title: "Astro landing page",
    kind: "Astro",
    description: "A marketing page with constant content: little work beside the framework's own.",
    streams: null,
  }),
]);

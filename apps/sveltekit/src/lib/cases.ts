import { manifestsOf, type RoutedHandler, referenceCasesOf } from "@evenbench/bundle/framework";
import type { CaseManifest } from "@evenbench/core";

export const handlers: readonly RoutedHandler[] = referenceCasesOf("sveltekit");

export const pages: readonly CaseManifest[] = [
  {
    id: "sveltekit-page",
    path: "/sveltekit-page",
    source: "apps/sveltekit/src/routes/sveltekit-page/+page.svelte",
    title: "SvelteKit page",
    kind: "SvelteKit",
    description:
      "The complex page, computed in a server load, rendered, and its data serialised for the browser.",
    parameters: {},
    golden: null,
    masks: [],
    variation: null,
    headline: "lastByteMs",
    notSameCode: null,
    services: [],
    page: { streams: false },
  },
];

export const manifests = manifestsOf(handlers, pages);

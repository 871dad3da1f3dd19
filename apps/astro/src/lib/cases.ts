import { manifestsOf, type RoutedHandler, referenceCasesOf } from "@evenbench/bundle/framework";
import type { CaseManifest } from "@evenbench/core";

export const handlers: readonly RoutedHandler[] = referenceCasesOf("astro");

const common = {
  kind: "Astro",
  parameters: {},
  golden: null,
  masks: [],
  headline: "lastByteMs",
  notSameCode: null,
  services: [],
  variation: null,
} as const;

/** The app's pages: `src/pages/<id>.astro` each. */
export const pages: readonly CaseManifest[] = [
  {
    ...common,
    id: "astro-page",
    path: "/astro-page",
    source: "apps/astro/src/pages/astro-page.astro",
    title: "Astro page",
    description: "The complex page, computed and rendered by Astro components, without data for the browser.",
    page: { streams: null },
  },
  {
    ...common,
    id: "astro-landing",
    path: "/astro-landing",
    source: "apps/astro/src/pages/astro-landing.astro",
    title: "Astro landing page",
    description: "A marketing page with constant content: little work beside the framework's own.",
    page: { streams: null },
  },
];

export const manifests = manifestsOf(handlers, pages);

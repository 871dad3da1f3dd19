import type { CaseManifest } from "@evenbench/core";

/** Names of files that the bundler makes of their content. They differ where the platform's own build changes a byte. */
const ASSET_HASHES = {
  name: "asset hash",
  pattern: "static/chunks/[\\w~.-]+?\\.(js|css)",
  replacement: "static/chunks/HASH.$1",
};

const common = {
  kind: "Next.js",
  parameters: {},
  golden: null,
  masks: [ASSET_HASHES],
  headline: "lastByteMs",
  notSameCode: null,
  services: [],
  variation: null,
} as const;

/** The app's pages: `app/<id>/page.tsx` each. */
export const pages: readonly CaseManifest[] = [
  {
    ...common,
    id: "next-page",
    path: "/next-page",
    source: "apps/next/app/next-page/page.tsx",
    title: "Next.js page",
    description: "The complex page as a server component: HTML, and the same again as flight data.",
    page: { streams: false },
  },
  {
    ...common,
    id: "next-stream",
    path: "/next-stream",
    source: "apps/next/app/next-stream/page.tsx",
    title: "Next.js page, streamed",
    description: "The complex page in ten Suspense parts, each computed a little after the one before it.",
    page: { streams: true },
    variation: {
      reason:
        "React sends pieces and flight rows as they become ready, so their order and their wrapping differ from one response to the next.",
      normalForm: "react-stream",
      lengthWithin: 0.05,
    },
  },
  {
    ...common,
    id: "next-landing",
    path: "/next-landing",
    source: "apps/next/app/next-landing/page.tsx",
    title: "Next.js landing page",
    description:
      "A marketing page of about 71 KB with constant content: little work beside the framework's own.",
    page: { streams: null },
  },
];

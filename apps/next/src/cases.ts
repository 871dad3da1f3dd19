import { appCases, definePage } from "@evenbench/bundle/framework";
import { type CaseManifest, defineCase, MANIFEST_DEFAULTS, wholeResponse } from "@evenbench/core";
import { FLIGHT_IN_PIECES } from "./flight-in-pieces.ts";

/** The mask of hashes in names of files: they differ where the platform's own build changes a byte. */
const ASSET_HASHES = {
  name: "asset hash",
  pattern: "static/chunks/[\\w~.-]+?\\.(js|css)",
  replacement: "static/chunks/HASH.$1",
};

const common = { kind: "Next.js", masks: [ASSET_HASHES] } as const;

const pages = [
  definePage({
    ...common,
    id: "next-page",
    source: "apps/next/app/next-page/page.tsx",
    title: "Next.js, 12 sections",
    description:
      "12 of the complex page's 50 sections as a server component: HTML, and the same again as flight data.",
    streams: false,
    variation: FLIGHT_IN_PIECES,
    scatter: 0.025,
  }),
  definePage({
    ...common,
    id: "next-page-large",
    source: "apps/next/app/next-page-large/page.tsx",
    title: "Next.js, 50 sections",
    description: "The same as next-page with all of the complex page's sections, as published.",
    streams: false,
    variation: FLIGHT_IN_PIECES,
    rounds: 16,
    scatter: 0.025,
  }),
  definePage({
    ...common,
    id: "next-stream",
    source: "apps/next/app/next-stream/page.tsx",
    title: "Next.js, streamed",
    description: "The complex page in ten Suspense parts, each computed a little after the one before it.",
    streams: true,
    variation: {
      reason:
        "React sends pieces and flight rows as they become ready, so their order and their wrapping differ from one response to the next.",
      normalForm: "react-stream",
      lengthWithin: 0.05,
    },
  }),
  definePage({
    ...common,
    id: "next-landing",
    source: "apps/next/app/next-landing/page.tsx",
    title: "Next.js landing page",
    description:
      "A marketing page of about 71 KB with constant content: little work beside the framework's own.",
    streams: null,
    variation: FLIGHT_IN_PIECES,
  }),
];

/** No page that is rendered anew for each request: `page` is null. */
const isr: CaseManifest = {
  ...MANIFEST_DEFAULTS,
  ...common,
  id: "next-isr",
  path: "/next-isr/landing",
  source: "apps/next/app/next-isr/[page]/page.tsx",
  title: "Next.js, kept (ISR)",
  description: "The page of next-landing, rendered at most once a second and kept in between.",
  golden: {
    status: 200,
    contentType: "text/html",
    bytes: 70_921,
    sha256: "aadecfb8fa847eb29c2d72a22e092e1fca836da93f7a4973ff46987b9f83def7",
  },
  variation: {
    reason: "A kept page has scripts, links and flight data by which a framework knows it again.",
    normalForm: "react-document",
    lengthWithin: 0.15,
  },
  cached:
    "Each platform keeps the page for a second in its own place, and renders it again behind an answer that is too old (ISR).",
};

const ANSWER = `${JSON.stringify({ items: Array.from({ length: 10 }, (_, id) => ({ id, name: `Item ${id}` })) })}\n`;

const nextApi = defineCase({
  title: "Next.js route handler",
  description: "A small JSON from a route handler: what the framework costs without a page.",
  parameters: {},
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 262,
    sha256: "776efac3223c0db3793de759d5011645ce9b27865662a1a712eee14ba0ab8f22",
  },
  handle: () => wholeResponse(ANSWER, "application/json"),
});

const nextProxy = defineCase({
  title: "Next.js route handler behind proxy.ts",
  description:
    "A small JSON from a route handler, with a header that proxy.ts (middleware) adds to the request. Beside next-api it shows what middleware costs.",
  parameters: {},
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 22,
    sha256: "37814d81a252a557c47cbe62a02c8a4d357a1d561625c61f33daec9e63015fa6",
  },
  handle(request) {
    const answer = { visitor: request.headers.get("x-evenbench-visitor") };
    return wholeResponse(`${JSON.stringify(answer)}\n`, "application/json");
  },
});

export const { index, manifests } = appCases(
  "next",
  [...pages, isr],
  [
    { id: "next-api", path: "/next-api", definition: nextApi },
    { id: "next-proxy", path: "/next-proxy", definition: nextProxy },
  ],
);

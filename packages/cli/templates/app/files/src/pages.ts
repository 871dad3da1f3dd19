import { definePage, describeRendering } from "@evenbench/bundle/framework";

/** Pages are what a framework renders. `source` is where people find them. */
export const pages = [
  definePage({
    id: "template-app-page",
    source: "apps/template-app/src/pages.ts",
    title: "A page",
    kind: "template-app",
    description: "A small page: what the app costs with next to nothing to render.",
    streams: null,
  }),
];

/** Stands where a framework renders. It must be done anew for each request, and nothing may keep the result. */
export function renderPage(): Response {
  const marker = describeRendering(process.env.NODE_ENV);
  const html = `<!doctype html><title>Hello</title><p hidden>${marker}</p><h1>Hello</h1>\n`;
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  return new Response(html, { headers });
}

import type { ServerLoad } from "@sveltejs/kit";

/** The pin of every page below. Preflight proves it. */
export const prerender = false;
/** Tells SvelteKit to render pages on the server. */
export const ssr = true;

/** Tells caches to keep no page. */
export const load: ServerLoad = ({ setHeaders }) => {
  setHeaders({ "cache-control": "no-store" });
};

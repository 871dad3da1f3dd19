import type { ServerLoad } from "@sveltejs/kit";

/** The pin of every page below. Preflight proves it. */
export const prerender = false;
export const ssr = true;

export const load: ServerLoad = ({ setHeaders }) => {
  setHeaders({ "cache-control": "no-store" });
};

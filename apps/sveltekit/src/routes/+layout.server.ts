import type { ServerLoad } from "@sveltejs/kit";

/**
 * The pin, for every page below: rendered anew for each request, on the server, on every platform. Preflight
 * proves it.
 */
export const prerender = false;
export const ssr = true;

export const load: ServerLoad = ({ setHeaders }) => {
  setHeaders({ "cache-control": "no-store" });
};

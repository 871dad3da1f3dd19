import type { APIRoute } from "astro";
import { respond } from "../lib/respond.ts";

/** Endpoint for every method on all paths that are no pages. */
export const ALL: APIRoute = ({ request }) => respond(request);

import type { APIRoute } from "astro";
import { respond } from "../lib/respond.ts";

/** All that is no page. */
export const ALL: APIRoute = ({ request }) => respond(request);

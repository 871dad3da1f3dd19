import type { APIRoute } from "astro";
import { respond } from "../lib/respond.ts";

export const ALL: APIRoute = ({ request }) => respond(request);

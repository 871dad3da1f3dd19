import { respond } from "../../lib/server/respond.ts";

export const GET = ({ request }: { readonly request: Request }): Promise<Response> => respond(request);

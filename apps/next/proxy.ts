import { type NextRequest, NextResponse } from "next/server";

/** The proxy stands in front of one path alone: no other case is to pay for it. */
export const config = { matcher: "/next-proxy" };

/** Does what most middleware does: reads the request, and hands it on with what it found. */
export function proxy(request: NextRequest): NextResponse {
  const headers = new Headers(request.headers);
  headers.set("x-evenbench-visitor", request.cookies.get("visitor")?.value ?? "unknown");
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("x-evenbench-proxy", "passed");
  return response;
}

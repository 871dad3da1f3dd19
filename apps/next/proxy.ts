import { type NextRequest, NextResponse } from "next/server";

/** In front of one path: no other case is to pay for it. */
export const config = { matcher: "/next-proxy" };

/** What middleware is mostly there for: it reads the request, and hands it on with what it found. */
export function proxy(request: NextRequest): NextResponse {
  const headers = new Headers(request.headers);
  headers.set("x-evenbench-visitor", request.cookies.get("visitor")?.value ?? "unknown");
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("x-evenbench-proxy", "passed");
  return response;
}

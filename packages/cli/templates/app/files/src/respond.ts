import { createResponder, indexOf } from "@evenbench/bundle/framework";
import { handlers } from "./cases.ts";
import { pages, renderPage } from "./pages.ts";

/**
 * Answers everything but the pages, on every platform. The build fills in `process.env.NODE_ENV`,
 * `EVENBENCH_PLATFORM` and `BUILT_WITH`.
 */
const answer = createResponder(
  {
    app: "template-app",
    label: "template-app 0.1.0",
    pins: { "nodeEnv.artifact": String(process.env.NODE_ENV) },
    cases: indexOf(handlers, pages),
  },
  { platform: process.env.EVENBENCH_PLATFORM, adapter: process.env.BUILT_WITH },
);

/** A framework's router takes its place: pages are files there, and one route for all other paths calls `answer`. */
export async function respond(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  return pages.some(({ path }) => path === pathname) ? renderPage() : answer(request);
}

import { defineMiddleware } from "astro:middleware";

/** Middleware of Astro: no answer may be cached. */
export const onRequest = defineMiddleware(async (_context, next) => {
  const response = await next();
  response.headers.set("cache-control", "no-store");
  return response;
});

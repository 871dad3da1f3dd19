import type { IncomingHttpHeaders } from "node:http";

/**
 * Where the page can be opened, also through a forwarded port. A name of anybody else's may lead here, too
 * (DNS rebinding).
 */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** What browsers say of a request that a page of this address, or the user, has made. */
const OWN_SITES: readonly (string | undefined)[] = [undefined, "none", "same-origin"];

/**
 * Why a request comes from somebody else's page in the developer's browser, or null: it is for another host, or another
 * origin makes it.
 */
export function whyForeign(headers: IncomingHttpHeaders): string | null {
  const { host = "", origin } = headers;
  if (!OWN_HOST.test(host)) return "This page answers only for 127.0.0.1 and localhost.";
  const isOwn = origin === undefined || origin === `http://${host}`;
  const site = headers["sec-fetch-site"];
  if (isOwn && OWN_SITES.includes(site?.toString())) return null;
  return "This page answers no other pages.";
}

import { isIPv4, isIPv6 } from "node:net";

/**
 * The same origin, written in another way. k6 keeps connections by host and port as they are written, so that
 * a copy asked here has connections of its own.
 *
 * @throws {TypeError} for a URL whose host can only be written in one way.
 */
export function secondOrigin(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  const at = port === "" ? "" : `:${port}`;
  return `${protocol}//${otherHost(hostname)}${at}`;
}

function otherHost(host: string): string {
  if (isIPv4(host)) return `[::ffff:${host}]`;
  if (isIPv6(host.replace(/^\[|\]$/g, ""))) return longForm(host);
  const upper = host.toUpperCase();
  if (upper === host) throw new TypeError(`The host "${host}" has no second form.`);
  return upper;
}

/** "[::1]" as "[0:0:0:0:0:0:0:1]". */
function longForm(host: string): string {
  const [before = "", after = ""] = host.slice(1, -1).split("::");
  const parts = (text: string) => (text === "" ? [] : text.split(":"));
  const zeros = Array.from({ length: 8 - parts(before).length - parts(after).length }, () => "0");
  const long = [...parts(before), ...zeros, ...parts(after)].join(":");
  if (`[${long}]` === host) return host.replace("[", "[0");
  return `[${long}]`;
}

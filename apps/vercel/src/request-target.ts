/** The target in the first line of a request (RFC 9112, section 3.2). */
export interface RequestTarget {
  /** Path and query as they were written. */
  readonly url: string;
  /** The host of an absolute target, which goes before the header Host; null where only a path is asked for. */
  readonly host: string | null;
}

/** Reads the target of a request line. @returns null for what is neither a path, an address of the web nor "*". */
export function parseRequestTarget(target: string): RequestTarget | null {
  if (target.startsWith("/")) {
    return { url: target, host: null };
  }
  // A request about the server as a whole. Other hosts take it for a path that nothing is found at, too.
  if (target === "*") {
    return { url: "/*", host: null };
  }
  const [, host, rest = ""] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(target) ?? [];
  if (host === undefined) {
    return null;
  }
  return { url: rest.startsWith("/") ? rest : `/${rest}`, host };
}

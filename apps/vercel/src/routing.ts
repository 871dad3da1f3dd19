import type { BuildOutput, OutputFunction, OutputRoute } from "./build-output.ts";

/** What is to be done with a request. Headers are to be set on the response. */
export type Decision = {
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | null;
} & (
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "function"; readonly target: OutputFunction; readonly query: string }
  | { readonly kind: "nothing" }
);

/**
 * Routes a request as the Build Output API documents: rules in order, in phases that `handle` begins; "filesystem" looks for a
 * static file, then for a function. Rules that ask for hosts, cookies or middleware are not served here.
 */
export function makeRouter({
  routes,
  functions,
  files,
}: BuildOutput): (method: string, url: string) => Decision {
  const rules = routes.map((route) => ({
    ...route,
    pattern: route.src === undefined ? null : new RegExp(route.src, "i"),
  }));

  return (method, url) => {
    const queryAt = url.indexOf("?");
    const headers: Record<string, string> = {};
    let path = queryAt === -1 ? url : url.slice(0, queryAt);
    let query = queryAt === -1 ? "" : url.slice(queryAt + 1);
    let status: number | null = null;
    const found = (): Decision | null => lookUp(path, query, headers, status);

    for (const rule of rules) {
      if (rule.handle !== undefined) {
        // "hit" holds rules for what was found; it and "error" do not decide what a path leads to.
        if (rule.handle === "hit" || rule.handle === "error") break;
        const decision = rule.handle === "filesystem" ? found() : null;
        if (decision !== null) return decision;
        continue;
      }
      const match = rule.pattern?.exec(path);
      if (!match || (rule.methods !== undefined && !rule.methods.includes(method))) continue;
      const fill = (text: string) =>
        text.replace(/\$(\d+)/g, (_, group: string) => match[Number(group)] ?? "");
      for (const [name, value] of Object.entries(rule.headers ?? {}))
        headers[name.toLowerCase()] = fill(value);
      status = rule.status ?? status;
      if (rule.dest !== undefined) {
        const [destination = "", added] = fill(rule.dest).split("?", 2);
        path = destination;
        query = [query, added].filter(Boolean).join("&");
      }
      if (rule.continue) continue;
      if (headers.location !== undefined) break;
      const decision = found();
      if (decision !== null) return decision;
      if (!rule.check && isFinal(rule)) break;
    }
    return found() ?? { kind: "nothing", headers, status: status ?? 404 };
  };

  function lookUp(
    path: string,
    query: string,
    headers: Record<string, string>,
    status: number | null,
  ): Decision | null {
    const file = files.get(decodeURI(path));
    if (file !== undefined) return { kind: "file", file, headers, status };
    const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const target = functions.get(plain) ?? functions.get(plain === "/" ? "/index" : `${plain}/index`);
    return target === undefined ? null : { kind: "function", target, query, headers, status };
  }
}

/** A rule with a status and no destination ends the search. */
function isFinal({ status, dest }: OutputRoute): boolean {
  return status !== undefined && dest === undefined;
}

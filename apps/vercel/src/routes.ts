// The routes of config.json: read, sorted by phase, and made into functions that match a request.
import type { IncomingHttpHeaders } from "node:http";
import { HostError } from "@evenbench/host/loopback";
import type { RouteWithSrc } from "@vercel/routing-utils";
import { type Condition, compileCondition, expression, type SourceCondition } from "./conditions.ts";

/** The parts of a request that routes are matched with. */
interface AskedFor {
  /** The path, such as "/blog/1". */
  readonly path: string;
  /** The query without its question mark; "" for none. */
  readonly query: string;
  /** The headers, by lower-case name. */
  readonly headers: IncomingHttpHeaders;
}

/** A route of config.json that is ready to be matched. */
export interface OutputRoute
  extends Pick<
    RouteWithSrc,
    | "dest"
    | "headers"
    | "status"
    | "continue"
    | "check"
    | "important"
    | "override"
    | "locale"
    | "middlewarePath"
  > {
  /** Matches a request. @returns what fills the route's texts; null for a request that is not the route's. */
  match(asked: AskedFor): Fill | null;
  /** The changes of the request and of the answer, in their order. */
  readonly transforms: readonly SourceTransform[];
  /** The feature that the local host lacks, in words; null where it is served as on the platform. */
  readonly lacks: string | null;
}

/** Replaces "$1" and "$name" in a text of a route by what the route's expression captured. */
export type Fill = (text: string) => string;

/** The phases of routes in their order; "initial" stands before the first handle. */
const ROUTING_PHASES = ["initial", "filesystem", "rewrite", "resource", "miss", "hit", "error"] as const;

/** A phase of the routes of config.json. */
export type RoutingPhase = (typeof ROUTING_PHASES)[number];

/** The routes of each phase, in their order. */
export type RoutesByPhase = Readonly<Record<RoutingPhase, readonly OutputRoute[]>>;

/** A route of config.json: Build Output API v3, "Build Output Configuration", section "Source route". */
export interface SourceRoute extends Omit<RouteWithSrc, "has" | "missing" | "transforms"> {
  /** Conditions that must all hold. */
  readonly has?: readonly SourceCondition[];
  /** Conditions of which none may hold. */
  readonly missing?: readonly SourceCondition[];
  /** Changes of the request and of its answer. */
  readonly transforms?: readonly SourceTransform[];
}

/** A change of the request or of its answer: "Transforms" in the same document. */
export interface SourceTransform {
  /** The part that is changed, such as "request.query". */
  readonly type: string;
  /** The change: "set", "append" or "delete". */
  readonly op: string;
  /** The name of the header or parameter; left out for a path, of which there is only one. */
  readonly target?: { readonly key: string | object };
  /** The new value or values; left out with "delete". */
  readonly args?: string | readonly string[];
}

/** Fields of a route that the local host obeys, or that change nothing in how a request is answered. */
const KNOWN_KEYS = new Set<string>([
  "src",
  "dest",
  "headers",
  "status",
  "continue",
  "check",
  "important",
  "override",
  "caseSensitive",
  "locale",
  "has",
  "missing",
  "transforms",
  "middlewarePath",
  "middlewareRawSrc",
]);

/** Sorts the routes of config.json by phase. One that cannot be served refuses its requests. */
export function compileRoutes(routes: readonly (SourceRoute | { readonly handle: string })[]): RoutesByPhase {
  const byPhase = Object.fromEntries(ROUTING_PHASES.map((name) => [name, [] as OutputRoute[]])) as Record<
    RoutingPhase,
    OutputRoute[]
  >;
  let phase: RoutingPhase = "initial";
  for (const route of routes) {
    if ("handle" in route) {
      phase = ROUTING_PHASES.find((name) => name === route.handle) ?? refusePhase(route.handle);
      continue;
    }
    byPhase[phase].push(compile(route));
  }
  return byPhase;
}

function refusePhase(name: string): never {
  throw new HostError(
    `config.json uses the phase "${name}", which the local host does not have. Remove it from the deployable.`,
  );
}

/** Lists what routes use and the local host does not have, in words, each once. */
export function lackingIn(routes: RoutesByPhase): readonly string[] {
  const all = ROUTING_PHASES.flatMap((phase) => routes[phase].map(({ lacks }) => lacks));
  return [...new Set(all.filter((lacks) => lacks !== null))];
}

/** Stands for what the build's `wildcard` has for the domain that was asked. No domain of an app is asked here. */
const WILDCARD = "$wildcard";

/** Makes a route ready to be matched. One with something unknown keeps in `lacks` what that is. */
function compile(route: SourceRoute): OutputRoute {
  const { src, dest, has = [], missing = [], transforms = [], caseSensitive = false, ...rest } = route;
  const pattern = expression(src, caseSensitive ? "" : "i");
  const wanted = has.map(compileCondition);
  const unwanted = missing.map(compileCondition);
  const conditions = (all: typeof wanted) => all.filter((condition) => typeof condition !== "string");
  return {
    ...rest,
    ...(dest !== undefined && { dest: fromRoot(dest.replaceAll(WILDCARD, "")) }),
    transforms,
    lacks: lackOf(route, pattern, [...wanted, ...unwanted]),
    match(asked) {
      // For which paths an expression is meant that cannot be read is not known: it matches all, and refuses them.
      const found = pattern === null ? /^/.exec("") : pattern.exec(asked.path);
      if (found === null || conditions(unwanted).some((matches) => matches(asked) !== null)) {
        return null;
      }
      const matched = conditions(wanted).map((matches) => matches(asked));
      if (matched.includes(null)) {
        return null;
      }
      const captured: Record<string, string | undefined> = Object.assign(
        {},
        [...found],
        found.groups,
        ...matched,
      );
      return (text) => text.replace(/\$(\w+)/g, (_, name: string) => captured[name] ?? "");
    },
  };
}

/**
 * Says what a route uses and the local host does not have; null where it is served as on the platform.
 *
 * @param pattern its expression; null where it is not one of JavaScript.
 * @param conditions all of its conditions; one that cannot be checked is given in words.
 */
function lackOf(
  route: SourceRoute,
  pattern: RegExp | null,
  conditions: readonly (Condition | string)[],
): string | null {
  const unknownKey = lackingKey(route);
  if (unknownKey !== null) {
    return unknownKey;
  }
  if (pattern === null) {
    return `the expression ${route.src}, which is not JavaScript's`;
  }
  const uncheckable = conditions.find((condition) => typeof condition === "string");
  if (uncheckable !== undefined) {
    return uncheckable;
  }
  const lacking = (route.transforms ?? []).map(lackingTransform);
  return lacking.find((lacks) => lacks !== null) ?? null;
}

function lackingKey(route: SourceRoute): string | null {
  const unknown = Object.keys(route).find((key) => !KNOWN_KEYS.has(key));
  return unknown === undefined ? null : `"${unknown}" in a route`;
}

/** Values of `SourceTransform.op` that are served. */
const OPERATIONS = ["set", "append", "delete"];
/** Values of `SourceTransform.type` that are served with each operation. */
const CHANGED = ["request.query", "request.headers", "response.headers"];

function lackingTransform({ type, op, target, args }: SourceTransform): string | null {
  if (type === "request.path" && op === "set" && typeof args === "string") {
    return null;
  }
  const isKnown = CHANGED.includes(type) && OPERATIONS.includes(op) && typeof target?.key === "string";
  return isKnown && (op === "delete" || args !== undefined) ? null : `the transform ${op} of ${type}`;
}

/** Makes a path absolute: Astro's adapter writes "_render" for the function at /_render. */
export function fromRoot(dest: string): string {
  return dest.startsWith("/") || URL.canParse(dest) ? dest : `/${dest}`;
}

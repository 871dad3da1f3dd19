import { HostError } from "@evenbench/host";

/** What a request must have (or lack) for a route to match; `value` is a regular expression of the whole value. */
interface Condition {
  readonly type: "header" | "cookie" | "query" | "host";
  readonly key?: string;
  readonly value?: string;
}

interface Transform {
  readonly type: "request.headers" | "request.query" | "response.headers";
  readonly op: "set" | "append" | "delete";
  readonly target: { readonly key: string };
  readonly args?: string | readonly string[];
}

/** A source route of config.json ("Build Output Configuration" in Vercel's documentation). */
export interface SourceRoute {
  readonly src: string;
  readonly dest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly methods?: readonly string[];
  readonly status?: number;
  readonly continue?: boolean;
  readonly check?: boolean;
  readonly important?: boolean;
  readonly override?: boolean;
  readonly caseSensitive?: boolean;
  readonly has?: readonly Condition[];
  readonly missing?: readonly Condition[];
  readonly transforms?: readonly Transform[];
}

const PHASES = ["initial", "filesystem", "rewrite", "resource", "miss", "hit", "error"] as const;
/** When a route is looked at: "initial" before any `handle`, else as the handle says. */
export type Phase = (typeof PHASES)[number];

export interface Route extends SourceRoute {
  readonly pattern: RegExp;
}

export type RoutesByPhase = Readonly<Record<Phase, readonly Route[]>>;

const KNOWN_KEYS = new Set(
  "src dest headers methods status continue check important override caseSensitive has missing transforms".split(
    " ",
  ),
);

/**
 * Sorts the routes of config.json by phase and compiles them.
 *
 * @throws {HostError} when a route asks for what the local host does not do, such as middleware.
 */
export function compileRoutes(routes: readonly Readonly<Record<string, unknown>>[]): RoutesByPhase {
  const byPhase = Object.fromEntries(PHASES.map((name) => [name, [] as Route[]])) as Record<Phase, Route[]>;
  let phase: Phase = "initial";
  for (const route of routes) {
    if (typeof route.handle === "string") {
      phase = PHASES.find((name) => name === route.handle) ?? refuse(`the phase "${route.handle}"`, route);
      continue;
    }
    const unknown = Object.keys(route).find((key) => !KNOWN_KEYS.has(key));
    if (unknown !== undefined) refuse(`"${unknown}"`, route);
    byPhase[phase].push(compile(route as unknown as SourceRoute));
  }
  return byPhase;
}

function compile(route: SourceRoute): Route {
  for (const condition of [...(route.has ?? []), ...(route.missing ?? [])]) {
    if (condition.value !== undefined && typeof condition.value !== "string")
      refuse("a condition that is no text", route);
  }
  // As Vercel's own normalisation has it: an expression stands for the whole path.
  const source = `${route.src.startsWith("^") ? "" : "^"}${route.src}${route.src.endsWith("$") ? "" : "$"}`;
  try {
    return { ...route, pattern: new RegExp(source, route.caseSensitive ? "" : "i") };
  } catch {
    return refuse("an expression that is not JavaScript's", route);
  }
}

function refuse(what: string, route: unknown): never {
  throw new HostError(
    `A route of config.json uses ${what}, which the local host does not have: ${JSON.stringify(route)}. Remove it from the deployable.`,
  );
}

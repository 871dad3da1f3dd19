import { HostError } from "@evenbench/host/loopback";

/** A header that a request must have (or lack) for a route to match. */
interface Condition {
  /** Lower case. */
  readonly header: string;
  /** Of the whole value; null: any. */
  readonly pattern: RegExp | null;
}

/** A route of config.json ("Build Output Configuration" in Vercel's documentation), compiled. */
export interface Route {
  readonly pattern: RegExp;
  readonly dest: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | undefined;
  readonly continue: boolean;
  readonly check: boolean;
  readonly important: boolean;
  readonly override: boolean;
  readonly has: readonly Condition[];
  readonly missing: readonly Condition[];
  /** Names of query parameters that are taken off the request. */
  readonly droppedParameters: readonly string[];
}

const PHASES = ["initial", "filesystem", "rewrite", "resource", "miss", "hit", "error"] as const;
/** When a route is looked at: "initial" before any `handle`, else as the handle says. */
export type Phase = (typeof PHASES)[number];

export type RoutesByPhase = Readonly<Record<Phase, readonly Route[]>>;

/**
 * A route as it is written. What `vercel build` writes for the apps here is known; all else is refused, not
 * ignored.
 */
export interface SourceRoute {
  readonly src: string;
  readonly dest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly continue?: boolean;
  readonly check?: boolean;
  readonly important?: boolean;
  readonly override?: boolean;
  readonly has?: readonly SourceCondition[];
  readonly missing?: readonly SourceCondition[];
  readonly transforms?: readonly SourceTransform[];
}

interface SourceCondition {
  readonly type: string;
  readonly key: string;
  /** A regular expression; an object is Vercel's other notation. */
  readonly value?: string | object;
}

interface SourceTransform {
  readonly type: string;
  readonly op: string;
  readonly target: { readonly key: string | object };
}

const KNOWN_KEYS = new Set(
  "src dest headers status continue check important override has missing transforms".split(" "),
);

export function compileRoutes(routes: readonly (SourceRoute | { readonly handle: string })[]): RoutesByPhase {
  const byPhase = Object.fromEntries(PHASES.map((name) => [name, [] as Route[]])) as Record<Phase, Route[]>;
  let phase: Phase = "initial";
  for (const route of routes) {
    if ("handle" in route) {
      phase = PHASES.find((name) => name === route.handle) ?? refuse(`the phase "${route.handle}"`, route);
      continue;
    }
    const unknown = Object.keys(route).find((key) => !KNOWN_KEYS.has(key));
    if (unknown !== undefined) refuse(`"${unknown}"`, route);
    byPhase[phase].push(compile(route));
  }
  return byPhase;
}

function compile(route: SourceRoute): Route {
  const compileCondition = ({ type, key, value }: SourceCondition): Condition => {
    if (type !== "header") return refuse(`a condition on a ${type}`, route);
    if (typeof value === "object") return refuse("a condition that is no regular expression", route);
    return { header: key.toLowerCase(), pattern: value === undefined ? null : expression(value, "", route) };
  };
  const droppedParameter = ({ type, op, target: { key } }: SourceTransform): string =>
    type === "request.query" && op === "delete" && typeof key === "string"
      ? key
      : refuse(`the transform ${op} of ${type}`, route);
  return {
    pattern: expression(route.src, "i", route),
    dest: route.dest === undefined ? undefined : fromRoot(route.dest),
    headers: route.headers ?? {},
    status: route.status,
    continue: route.continue ?? false,
    check: route.check ?? false,
    important: route.important ?? false,
    override: route.override ?? false,
    has: (route.has ?? []).map(compileCondition),
    missing: (route.missing ?? []).map(compileCondition),
    droppedParameters: (route.transforms ?? []).map(droppedParameter),
  };
}

/** Astro's adapter writes "_render" for the function at /_render. */
function fromRoot(dest: string): string {
  return dest.startsWith("/") || URL.canParse(dest) ? dest : `/${dest}`;
}

/** As Vercel's own normalisation has it: an expression stands for the whole text. */
function expression(source: string, flags: string, route: SourceRoute): RegExp {
  try {
    return new RegExp(
      `${source.startsWith("^") ? "" : "^"}${source}${source.endsWith("$") ? "" : "$"}`,
      flags,
    );
  } catch {
    return refuse("an expression that is not JavaScript's", route);
  }
}

function refuse(what: string, route: object): never {
  throw new HostError(
    `A route of config.json uses ${what}, which the local host does not have: ${JSON.stringify(route)}. Remove it from the deployable.`,
  );
}

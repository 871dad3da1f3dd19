import type { IncomingHttpHeaders } from "node:http";
import { HostError } from "@evenbench/host/loopback";
import { compileCondition, type SourceCondition } from "./conditions.ts";
import { localeRedirect, type SourceLocale } from "./locale.ts";
import type { MiddlewareOutcome } from "./middleware.ts";
import { UnservedError } from "./unserved.ts";

/** What routes are matched with. */
interface AskedFor {
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

interface Route
  extends Pick<
    SourceRoute,
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
  /** What its texts are filled by, or null for a request that is not its. */
  match(asked: AskedFor): Fill | null;
  readonly transforms: readonly SourceTransform[];
  /** What it uses and the local host does not have, in words; null where it is served as the platform does. */
  readonly lacks: string | null;
}

type Fill = (text: string) => string;

const PHASES = ["initial", "filesystem", "rewrite", "resource", "miss", "hit", "error"] as const;
type Phase = (typeof PHASES)[number];

export type RoutesByPhase = Readonly<Record<Phase, readonly Route[]>>;

/** A route of config.json: Build Output API v3, "Build Output Configuration", section "Source route". */
export interface SourceRoute {
  readonly src: string;
  readonly dest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly continue?: boolean;
  readonly check?: boolean;
  readonly important?: boolean;
  readonly override?: boolean;
  readonly caseSensitive?: boolean;
  readonly locale?: SourceLocale;
  readonly has?: readonly SourceCondition[];
  readonly missing?: readonly SourceCondition[];
  readonly transforms?: readonly SourceTransform[];
  /** The function that runs before all that follows. */
  readonly middlewarePath?: string;
  /** Patterns as the user wrote them: for people. */
  readonly middlewareRawSrc?: readonly string[];
}

/** A change of the request or of its answer: "Transforms" in the same document. */
interface SourceTransform {
  readonly type: string;
  readonly op: string;
  /** Not there where there is but one, as for a path. */
  readonly target?: { readonly key: string | object };
  readonly args?: string | readonly string[];
}

/** Those that change nothing in how a request is answered are known, too. */
const KNOWN_KEYS = new Set([
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

/** Sorts the routes of config.json by their phases. A route that cannot be served refuses the requests that reach it. */
export function compileRoutes(routes: readonly (SourceRoute | { readonly handle: string })[]): RoutesByPhase {
  const byPhase = Object.fromEntries(PHASES.map((name) => [name, [] as Route[]])) as Record<Phase, Route[]>;
  let phase: Phase = "initial";
  for (const route of routes) {
    if ("handle" in route) {
      phase = PHASES.find((name) => name === route.handle) ?? refusePhase(route.handle);
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

/** What routes use and the local host lacks, each once. */
export function lackingIn(routes: RoutesByPhase): readonly string[] {
  const all = PHASES.flatMap((phase) => routes[phase].map(({ lacks }) => lacks));
  return [...new Set(all.filter((lacks) => lacks !== null))];
}

function compile(route: SourceRoute): Route {
  const { src, dest, has = [], missing = [], transforms = [], caseSensitive = false, ...rest } = route;
  const pattern = expression(src, caseSensitive ? "" : "i");
  const wanted = has.map(compileCondition);
  const unwanted = missing.map(compileCondition);
  const unmatched = [...wanted, ...unwanted].find((condition) => typeof condition === "string");
  const lacks =
    lackingKey(route) ??
    (pattern === null ? `the expression ${src}, which is not JavaScript's` : null) ??
    unmatched ??
    transforms.map(lackingTransform).find((lacking) => lacking !== null) ??
    null;
  const conditions = (all: typeof wanted) => all.filter((condition) => typeof condition !== "string");
  return {
    ...rest,
    ...(dest !== undefined && { dest: fromRoot(dest) }),
    transforms,
    lacks,
    match(asked) {
      // Whether one that cannot be read is meant is not known, so that it is for all.
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

function lackingKey(route: SourceRoute): string | null {
  const unknown = Object.keys(route).find((key) => !KNOWN_KEYS.has(key));
  return unknown === undefined ? null : `"${unknown}" in a route`;
}

const OPERATIONS = ["set", "append", "delete"];
const CHANGED = ["request.query", "request.headers", "response.headers"];

function lackingTransform({ type, op, target, args }: SourceTransform): string | null {
  if (type === "request.path" && op === "set" && typeof args === "string") {
    return null;
  }
  const isKnown = CHANGED.includes(type) && OPERATIONS.includes(op) && typeof target?.key === "string";
  return isKnown && (op === "delete" || args !== undefined) ? null : `the transform ${op} of ${type}`;
}

/** Astro's adapter writes "_render" for the function at /_render. */
function fromRoot(dest: string): string {
  return dest.startsWith("/") || URL.canParse(dest) ? dest : `/${dest}`;
}

/** As Vercel's own normalisation has it: an expression stands for the whole text. null: it is none of JavaScript. */
function expression(source: string, flags: string): RegExp | null {
  const start = source.startsWith("^") ? "" : "^";
  const end = source.endsWith("$") ? "" : "$";
  try {
    return new RegExp(`${start}${source}${end}`, flags);
  } catch {
    return null;
  }
}

export interface Routed<Resource> {
  readonly resource: Resource | null;
  readonly matchedPath: string;
  readonly url: string;
  readonly status: number | undefined;
  readonly headers: ReadonlyMap<string, { readonly value: string; readonly important: boolean }>;
  /** Headers of the request as transforms left them. */
  readonly requestHeaders: IncomingHttpHeaders;
  /** Changes that take place when the answer has its own headers. */
  readonly answerChanges: readonly HeaderChange[];
  /** What a middleware answered by itself; null where the request goes on. */
  readonly answer: Response | null;
}

/** Calls the middleware at a path for the request that is routed, with the headers that it has come to. */
export type CallMiddleware = (path: string, headers: IncomingHttpHeaders) => Promise<MiddlewareOutcome>;

/** `value` is not looked at where a header is deleted. */
interface HeaderChange {
  readonly op: string;
  readonly name: string;
  readonly value: string;
}

const NEXT_PHASE: Readonly<Partial<Record<Phase, Phase>>> = {
  initial: "filesystem",
  filesystem: "rewrite",
  rewrite: "resource",
  resource: "miss",
};
/** More steps than any sensible configuration takes: routes that lead to each other. */
const LONGEST_WAY = 50;

/**
 * The phases of config.json in their documented order, with a look at files and functions between them.
 *
 * @throws {UnservedError} from what it returns, for a request that reaches a route with something that is not served.
 */
export function createRouter<Resource>(routes: RoutesByPhase, find: (path: string) => Resource | undefined) {
  return async function route(
    url: string,
    sentHeaders: IncomingHttpHeaders,
    callMiddleware: CallMiddleware,
  ): Promise<Routed<Resource>> {
    const headers = new Map<string, { value: string; important: boolean }>();
    let requestHeaders: IncomingHttpHeaders = { ...sentHeaders };
    let answer: Response | null = null;
    const answerChanges: HeaderChange[] = [];
    let [path, query] = divide(url);
    /** The path that a function sees: the one that was asked for, unless a route sets another. */
    let [shownPath] = divide(url);
    let status = undefined as number | undefined;

    let phase: Phase = "initial";
    for (let step = 0; step < LONGEST_WAY; step++) {
      const next = await goThrough(phase);
      if (answer !== null) {
        return leave(null);
      }
      if (headers.has("location")) {
        if (status === undefined || status < 300 || status > 399) {
          status = 307;
        }
        return leave(null);
      }
      const resource = next === "failed" && phase === "initial" ? undefined : find(path);
      if (resource !== undefined) {
        return hit(resource);
      }
      if (next === "failed") {
        return fail(status !== undefined && status >= 400 ? status : 404);
      }
      phase = next;
    }
    return fail(508);

    /** Gives where to go on when nothing is found at the path that it leaves. */
    async function goThrough(phase: Phase): Promise<Phase | "failed"> {
      for (const route of routes[phase]) {
        const before = path;
        if (!applyIfMatched(route)) {
          continue;
        }
        if (route.middlewarePath !== undefined) {
          await passThrough(route.middlewarePath);
        }
        if (answer !== null) {
          return "failed";
        }
        if (route.check && path !== before) {
          // A status of an earlier route ("nothing here, unless ...") is no longer true.
          if (find(path) !== undefined) {
            status = route.status;
          }
          return "filesystem";
        }
        if (route.continue || route.check) {
          continue;
        }
        if (phase !== "initial") {
          return phase === "miss" ? "failed" : "miss";
        }
        return route.dest === undefined && (route.status ?? 0) >= 400 ? "failed" : "filesystem";
      }
      return NEXT_PHASE[phase] ?? "failed";
    }

    function applyIfMatched(route: Route): boolean {
      const fill = route.match({ path, query, headers: requestHeaders });
      if (fill === null) {
        return false;
      }
      if (route.lacks !== null) {
        throw new UnservedError(route.lacks);
      }
      if (route.override) {
        status = undefined;
        headers.clear();
      }
      for (const [name, value] of Object.entries(route.headers ?? {})) {
        headers.set(name.toLowerCase(), { value: fill(value), important: route.important ?? false });
      }
      for (const transform of route.transforms) {
        apply(transform, fill);
      }
      const elsewhere = localeRedirect(route.locale, path, requestHeaders);
      if (elsewhere !== null) {
        headers.set("location", { value: elsewhere, important: false });
        status = 307;
        return true;
      }
      if (route.status !== undefined) {
        status = route.status;
      }
      if (route.dest !== undefined) {
        const [to, added] = divide(fill(route.dest));
        path = to;
        query = withParameters(query, added);
      }
      return true;
    }

    async function passThrough(middlewarePath: string): Promise<void> {
      const outcome = await callMiddleware(fromRoot(middlewarePath), requestHeaders);
      answer = outcome.answer;
      requestHeaders = { ...outcome.requestHeaders };
      for (const [name, value] of outcome.headers) {
        if (name === "set-cookie") {
          answerChanges.push({ op: "append", name, value });
        } else {
          headers.set(name, { value, important: false });
        }
      }
      if (outcome.rewrite !== null) {
        [path, query] = divide(outcome.rewrite);
      }
    }

    function apply({ type, op, target, args = "" }: SourceTransform, fill: Fill): void {
      const name = typeof target?.key === "string" ? target.key : "";
      const values = (typeof args === "string" ? [args] : args).map(fill);
      if (type === "request.path") {
        shownPath = values[0] ?? shownPath;
      }
      if (type === "request.query") {
        query = withParameter(query, op, name, values);
      }
      if (type === "request.headers") {
        changeHeader(requestHeaders, op, name.toLowerCase(), values.join(", "));
      }
      if (type === "response.headers") {
        answerChanges.push({ op, name, value: values.join(", ") });
      }
    }

    function hit(resource: Resource): Routed<Resource> {
      for (const route of routes.hit) {
        if (applyIfMatched(route) && !route.continue) {
          break;
        }
      }
      return leave(resource);
    }

    /** An error's page is what a route of its status leads to. */
    function fail(failed: number): Routed<Resource> {
      status = failed;
      for (const route of routes.error) {
        if ((route.status ?? failed) !== failed || !applyIfMatched(route)) {
          continue;
        }
        return leave((route.dest === undefined ? undefined : find(path)) ?? null);
      }
      return leave(null);
    }

    function leave(resource: Resource | null): Routed<Resource> {
      const address = query === "" ? shownPath : `${shownPath}?${query}`;
      return {
        resource,
        matchedPath: path,
        url: address,
        status,
        headers,
        requestHeaders,
        answerChanges,
        answer,
      };
    }
  };
}

function divide(url: string): [path: string, query: string] {
  const at = url.indexOf("?");
  return at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

function withParameter(query: string, op: string, name: string, values: readonly string[]): string {
  const parameters = new URLSearchParams(query);
  // What is not changed stays as it was written.
  if (op === "delete" && !parameters.has(name)) {
    return query;
  }
  if (op !== "append") {
    parameters.delete(name);
  }
  if (op !== "delete") {
    for (const value of values) {
      parameters.append(name, value);
    }
  }
  return parameters.toString();
}

function changeHeader(headers: IncomingHttpHeaders, op: string, name: string, value: string): void {
  const before = headers[name]?.toString();
  if (op === "delete") {
    delete headers[name];
  } else {
    headers[name] = op === "append" && before !== undefined ? `${before}, ${value}` : value;
  }
}

function withParameters(query: string, added: string): string {
  if (added === "") {
    return query;
  }
  const parameters = new URLSearchParams(query);
  for (const [name, value] of new URLSearchParams(added)) {
    parameters.set(name, value);
  }
  return parameters.toString();
}

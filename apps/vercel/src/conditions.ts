import type { IncomingHttpHeaders } from "node:http";
import { parseCookie } from "cookie";

/** A condition of `has` or `missing` of a route: Build Output API v3, "Source route: HasField". */
export interface SourceCondition {
  /** The part of the request that it is about: "header", "cookie", "query" or "host". */
  readonly type: string;
  /** Name of the header, cookie or parameter; a host has none. */
  readonly key?: string;
  /** A regular expression for the whole value, or comparisons. Default: any value will do. */
  readonly value?: string | Comparisons;
}

/** Comparisons by name, which must all hold. */
type Comparisons = Readonly<Record<string, string | number | readonly string[]>>;

/** The parts of a request that conditions are about. */
interface ConditionedRequest {
  /** The query without its question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** Gives what an expression captured by name where the condition holds; null where it does not. */
export type Condition = (asked: ConditionedRequest) => Readonly<Record<string, string>> | null;

/** Makes a function of a condition; or gives a text, which names what the local host does not have of it. */
export function compileCondition({ type, key = "", value = "[^]*" }: SourceCondition): Condition | string {
  const read = READERS[type];
  if (read === undefined) {
    return `a condition on a ${type}`;
  }
  const matches = compileValue(value);
  if (typeof matches === "string") {
    return matches;
  }
  return (asked) => {
    for (const found of read(asked, key)) {
      const captured = matches(found);
      if (captured !== null) {
        return captured;
      }
    }
    return null;
  };
}

/** Readers of the values that a request has under a condition's key, by the condition's type. */
const READERS: Readonly<Record<string, (asked: ConditionedRequest, key: string) => readonly string[]>> = {
  header: ({ headers }, key) => asList(headers[key.toLowerCase()]?.toString()),
  cookie: ({ headers }, key) => asList(cookiesIn(headers)[key]),
  query: ({ query }, key) => new URLSearchParams(query).getAll(key),
  // A host is a name: the local port is no part of it.
  host: ({ headers }) => asList(headers.host?.replace(/:\d+$/, "")),
};

/** Makes a list of a value that may be missing. */
function asList(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

/** Reads the cookies of a request as they were sent, by their names. */
export function cookiesIn({
  cookie = "",
}: IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  return parseCookie(cookie, { decode: String });
}

/** Gives what an expression captured by name where a value fits; null where it does not. */
type Matcher = (value: string) => Readonly<Record<string, string>> | null;

/** Makes a matcher of a condition's value; or a text, which names what cannot be served. */
function compileValue(value: string | Comparisons): Matcher | string {
  if (typeof value === "string") {
    return compileExpression(value);
  }
  const comparisons: Matcher[] = [];
  for (const [name, operand] of Object.entries(value)) {
    const matches =
      name === "re" ? compileExpression(String(operand), false) : comparisonMatcher(name, operand);
    if (typeof matches === "string") {
      return matches;
    }
    comparisons.push(matches);
  }
  return (found) => {
    const all = comparisons.map((matches) => matches(found));
    return all.includes(null) ? null : Object.assign({}, ...all);
  };
}

function compileExpression(source: string, isWhole = true): Matcher | string {
  const pattern = expression(source, "", isWhole);
  if (pattern === null) {
    return `the expression ${source}, which is not JavaScript's`;
  }
  return (found) => {
    const match = pattern.exec(found);
    return match === null ? null : { ...match.groups };
  };
}

/**
 * Compiles an expression; null where it is not one of JavaScript.
 *
 * @param isWhole whether it stands for the whole text. Default: true.
 */
export function expression(source: string, flags: string, isWhole = true): RegExp | null {
  const start = !isWhole || source.startsWith("^") ? "" : "^";
  const end = !isWhole || source.endsWith("$") ? "" : "$";
  try {
    return new RegExp(`${start}${source}${end}`, flags);
  } catch {
    return null;
  }
}

function comparisonMatcher(name: string, operand: string | number | readonly string[]): Matcher | string {
  const holds = COMPARISONS[name];
  if (holds === undefined) {
    return `the comparison "${name}" in a condition`;
  }
  return (found) => (holds(found, operand) ? {} : null);
}

/** The right side of a comparison. */
type Operand = string | number | readonly string[];

/** Comparisons by their names in the Build Output API. */
const COMPARISONS: Readonly<Record<string, (found: string, operand: Operand) => boolean>> = {
  eq: (found, operand) => found === String(operand),
  neq: (found, operand) => found !== String(operand),
  inc: (found, operand) => [operand].flat().includes(found),
  ninc: (found, operand) => ![operand].flat().includes(found),
  pre: (found, operand) => found.startsWith(String(operand)),
  suf: (found, operand) => found.endsWith(String(operand)),
  gt: (found, operand) => Number(found) > Number(operand),
  gte: (found, operand) => Number(found) >= Number(operand),
  lt: (found, operand) => Number(found) < Number(operand),
  lte: (found, operand) => Number(found) <= Number(operand),
};

import type { IntegerParameter, Parameter } from "./schema.ts";

/** The parameters of a case, by name. */
export type ParameterDeclarations = Readonly<Record<string, Parameter>>;

/** The values that a handler gets: a number for an integer, one of the words for a choice. */
export type ParameterValues<D extends ParameterDeclarations> = {
  readonly [K in keyof D]: D[K] extends IntegerParameter
    ? number
    : D[K] extends { readonly choices: readonly (infer W)[] }
      ? W
      : never;
};

/** A fault of a query. */
export interface ParameterProblem {
  /** The name that was given, cut to 40 characters. */
  readonly parameter: string;
  /** Values that the parameter may have, in words; for an unknown one, the names that there are. */
  readonly bounds: string;
  /** A sentence for whoever asked, cut to 300 characters. */
  readonly detail: string;
}

/** The values of a query, or what is wrong with it. */
export type ParsedParameters<D extends ParameterDeclarations> =
  | { readonly ok: true; readonly values: ParameterValues<D> }
  | { readonly ok: false; readonly problem: ParameterProblem };

/** Says in words what a parameter may be: "an integer from 1 to 10". */
export function describeBounds(parameter: Parameter): string {
  if (parameter.type === "integer") {
    return `an integer from ${parameter.minimum} to ${parameter.maximum}`;
  }
  return `one of ${parameter.choices.join(", ")}`;
}

/**
 * Reads a case's parameters from a query, with defaults. Unknown, repeated, malformed and out-of-bounds ones are
 * problems.
 */
export function parseParameters<D extends ParameterDeclarations>(
  declarations: D,
  query: URLSearchParams,
): ParsedParameters<D> {
  const values: Record<string, number | string> = {};
  for (const [name, raw] of query) {
    const parameter = Object.hasOwn(declarations, name) ? declarations[name] : undefined;
    if (parameter === undefined) {
      const known = Object.keys(declarations).join(", ") || "no parameters at all";
      return refusedParameter(name, known, `Unknown parameter "${name}". This case takes: ${known}.`);
    }
    const bounds = describeBounds(parameter);
    if (name in values) {
      return refusedParameter(name, bounds, `Parameter "${name}" is repeated; give it once.`);
    }
    const value = parse(raw, parameter);
    if (value === null) {
      const excerpt = JSON.stringify(raw.slice(0, 40));
      return refusedParameter(name, bounds, `Parameter "${name}" must be ${bounds}; got ${excerpt}.`);
    }
    values[name] = value;
  }
  for (const [name, parameter] of Object.entries(declarations)) {
    values[name] ??= parameter.default;
  }
  return { ok: true, values: values as ParameterValues<D> };
}

function refusedParameter(
  parameter: string,
  bounds: string,
  detail: string,
): { readonly ok: false; readonly problem: ParameterProblem } {
  return { ok: false, problem: { parameter: parameter.slice(0, 40), bounds, detail: detail.slice(0, 300) } };
}

/** Reads one value; null where the parameter cannot have it. */
function parse(raw: string, parameter: Parameter): number | string | null {
  if (parameter.type === "choice") {
    return parameter.choices.includes(raw) ? raw : null;
  }
  const value = /^-?\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN;
  return value >= parameter.minimum && value <= parameter.maximum ? value : null;
}

/** Adds parameters to a path as its query. */
export function pathWith(path: string, values: Readonly<Record<string, string | number>>): string {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
  return query.size === 0 ? path : `${path}?${query}`;
}

import type { IntegerParameter, Parameter } from "./schema.ts";

export type ParameterDeclarations = Readonly<Record<string, Parameter>>;

/** The values that a handler gets: a number for an integer, one of the words for a choice. */
export type ParameterValues<D extends ParameterDeclarations> = {
  readonly [K in keyof D]: D[K] extends IntegerParameter
    ? number
    : D[K] extends { readonly choices: readonly (infer W)[] }
      ? W
      : never;
};

export interface ParameterProblem {
  readonly parameter: string;
  readonly bounds: string;
  readonly detail: string;
}

export type ParsedParameters<D extends ParameterDeclarations> =
  | { readonly ok: true; readonly values: ParameterValues<D> }
  | { readonly ok: false; readonly problem: ParameterProblem };

export function describeBounds(parameter: Parameter): string {
  return parameter.type === "integer"
    ? `an integer from ${parameter.minimum} to ${parameter.maximum}`
    : `one of ${parameter.choices.join(", ")}`;
}

/** Unknown, repeated, malformed and out-of-bounds parameters are problems; absent ones take their default. */
export function parseParameters<D extends ParameterDeclarations>(
  declarations: D,
  query: URLSearchParams,
): ParsedParameters<D> {
  const values: Record<string, number | string> = {};
  for (const [name, raw] of query) {
    const parameter = Object.hasOwn(declarations, name) ? declarations[name] : undefined;
    const refuse = (bounds: string, detail: string) =>
      ({
        ok: false,
        problem: { parameter: name.slice(0, 40), bounds, detail: detail.slice(0, 300) },
      }) as const;
    if (parameter === undefined) {
      const known = Object.keys(declarations).join(", ") || "no parameters at all";
      return refuse(known, `Unknown parameter "${name}". This case takes: ${known}.`);
    }
    const bounds = describeBounds(parameter);
    if (name in values) {
      return refuse(bounds, `Parameter "${name}" is repeated; give it once.`);
    }
    const value = parse(raw, parameter);
    if (value === null) {
      const excerpt = JSON.stringify(raw.slice(0, 40));
      return refuse(bounds, `Parameter "${name}" must be ${bounds}; got ${excerpt}.`);
    }
    values[name] = value;
  }
  for (const [name, parameter] of Object.entries(declarations)) {
    values[name] ??= parameter.default;
  }
  return { ok: true, values: values as ParameterValues<D> };
}

function parse(raw: string, parameter: Parameter): number | string | null {
  if (parameter.type === "choice") {
    return parameter.choices.includes(raw) ? raw : null;
  }
  const value = /^-?\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN;
  return value >= parameter.minimum && value <= parameter.maximum ? value : null;
}

export function pathWith(path: string, values: Readonly<Record<string, string | number>>): string {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
  return query.size === 0 ? path : `${path}?${query}`;
}

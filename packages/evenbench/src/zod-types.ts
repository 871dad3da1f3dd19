/** Shapes that have a name of their own, by the text of their schema without white space. */
export type NamedSchemas = ReadonlyMap<string, string>;

/**
 * Writes the type of a schema's values, with the comments at its fields, from the text that TypeScript
 * declares the schema by, such as `z.ZodReadonly<z.ZodObject<{ id: z.ZodString; }, z.core.$strict>>`.
 *
 * @param named schemas within it that are written by their names.
 * @throws {Error} for a schema that has no type in the table below.
 */
export function typeOfSchema(schema: string, named: NamedSchemas): string {
  const [, kind, given = ""] = /^z\.(\w+)(?:<(.*)>)?$/s.exec(schema.trim()) ?? [];
  if (kind === undefined) {
    throw new Error(`The package's declarations cannot have this schema: ${schema.slice(0, 200)}`);
  }
  const plain = PLAIN_TYPES[kind];
  if (plain !== undefined) {
    return plain;
  }
  const [first = "", second = ""] = splitTypes(given);
  const typeOf = (part: string): string => nameOrType(part, named);
  switch (kind) {
    case "ZodReadonly":
      return readonlyType(typeOf(first));
    case "ZodNullable":
      return `${typeOf(first)} | null`;
    case "ZodArray": {
      const item = typeOf(first);
      const isCompound = item.startsWith("readonly ") || (item.includes("|") && !item.startsWith("{"));
      return isCompound ? `(${item})[]` : `${item}[]`;
    }
    case "ZodRecord":
      return `Readonly<Record<string, ${typeOf(second)}>>`;
    case "ZodTuple":
      return `[${membersOfTuple(first).map(typeOf).join(", ")}]`;
    case "ZodUnion":
    case "ZodDiscriminatedUnion":
      return membersOfTuple(first).map(typeOf).join(" | ");
    case "ZodLiteral":
      return first;
    case "ZodEnum":
      return fieldsOf(first)
        .map(({ type }) => type)
        .join(" | ");
    case "ZodObject":
      return objectType(first, named);
    default:
      throw new Error(`The package's declarations have no type for zod's ${kind}. Add it to zod-types.ts.`);
  }
}

/** Types by the kind of their schema, for schemas without parts. */
const PLAIN_TYPES: Readonly<Record<string, string>> = {
  ZodString: "string",
  ZodISODateTime: "string",
  ZodISODate: "string",
  ZodURL: "string",
  ZodCustomStringFormat: "string",
  ZodNumber: "number",
  ZodInt: "number",
  ZodBoolean: "boolean",
};

function nameOrType(schema: string, named: NamedSchemas): string {
  return named.get(withoutSpace(schema)) ?? typeOfSchema(schema, named);
}

/** Gives the text by which equal schemas are found, wherever they stand. */
export function withoutSpace(schema: string): string {
  return schema.replace(/\/\*\*.*?\*\//gs, "").replace(/\s+/g, "");
}

/** Writes a type as read-only. Fields of objects are so already. */
function readonlyType(type: string): string {
  return type.endsWith("[]") || type.startsWith("[") ? `readonly ${type}` : type;
}

function objectType(shape: string, named: NamedSchemas): string {
  const fields = fieldsOf(shape).map(({ comment, name, type }) => {
    const [, optional] = /^z\.Zod(?:Exact)?Optional<(.*)>$/s.exec(type) ?? [];
    const field = `readonly ${name}${optional === undefined ? "" : "?"}`;
    return `${comment}${field}: ${nameOrType(optional ?? type, named)};\n`;
  });
  return `{\n${fields.join("")}}`;
}

/** A field of an object. */
interface Field {
  /** The field's comment, with the line break behind it; empty where the field has none. */
  readonly comment: string;
  readonly name: string;
  readonly type: string;
}

/** Reads the fields of an object type, such as `{ id: z.ZodString; }`. */
function fieldsOf(shape: string): readonly Field[] {
  const body = shape.trim().slice(1, -1);
  return splitTop(body, ";").map((text) => {
    const [, comment = "", name = "", type = ""] =
      /^(\/\*\*.*?\*\/\s*)?("[^"]*"|[\w$]+): (.*)$/s.exec(text) ?? [];
    return { comment, name, type };
  });
}

function membersOfTuple(tuple: string): readonly string[] {
  return splitTypes(tuple.replace(/^readonly\s+/, "").slice(1, -1));
}

function splitTypes(text: string): readonly string[] {
  return splitTop(text, ",");
}

/** Splits at a mark that stands in no brackets, in no text and in no comment; empty parts are left out. */
function splitTop(text: string, mark: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const [token] of text.matchAll(/\/\*\*.*?\*\/|"[^"]*"|=>|[\s\S]/gs)) {
    if ("{[(<".includes(token)) {
      depth += 1;
    } else if ("}])>".includes(token)) {
      depth -= 1;
    }
    if (depth === 0 && token === mark) {
      parts.push(part.trim());
      part = "";
    } else {
      part += token;
    }
  }
  parts.push(part.trim());
  return parts.filter((found) => found !== "");
}

/** A file whose content stands for a value: workerd reads it itself. */
export class EmbeddedFile {
  /** The path, from the configuration's folder on. */
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

/** A value of Cap'n Proto's text format. A field that is undefined is left out. */
export type CapnpValue =
  | string
  | number
  | boolean
  | symbol
  | Uint8Array
  | EmbeddedFile
  | readonly CapnpValue[]
  | { readonly [field: string]: CapnpValue | undefined };

/** Writes a value in Cap'n Proto's text format. A symbol stands for what is neither: `void`. */
export function capnpText(value: CapnpValue): string {
  if (typeof value === "string") {
    return quoteCapnp(value);
  }
  if (typeof value === "symbol") {
    return "void";
  }
  if (typeof value !== "object") {
    return String(value);
  }
  if (value instanceof Uint8Array) {
    return `0x"${Buffer.from(value).toString("hex")}"`;
  }
  if (value instanceof EmbeddedFile) {
    return `embed ${quoteCapnp(value.path)}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map(capnpText).join(", ")}]`;
  }
  const fields = Object.entries(value).flatMap(([field, content]) =>
    content === undefined ? [] : [`${field} = ${capnpText(content)}`],
  );
  return `(${fields.join(", ")})`;
}

/** Quotes a text for Cap'n Proto, which has C's escapes: those of JSON, but for \u, which becomes bytes of UTF-8. */
function quoteCapnp(text: string): string {
  return JSON.stringify(text).replace(/\\u[0-9a-f]{4}/g, (escaped) => {
    const bytes = Buffer.from(JSON.parse(`"${escaped}"`), "utf8");
    return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  });
}

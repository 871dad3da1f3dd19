import { defineCase, wholeResponse } from "@evenbench/core";

const RECORDS = 12_000;

export default defineCase({
  title: "JSON.parse with a reviver",
  kind: "JSON",
  description:
    "Parses a document of about 130,000 keys and array elements, with or without a reviver that sees each of them.",
  parameters: {
    reviver: {
      type: "integer",
      default: 1,
      minimum: 0,
      maximum: 1,
      description: "1 passes a reviver, 0 none.",
    },
  },
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 44,
    sha256: "ac3c237bcdb88e605c4e9263d9e48e3c314e4bbdcdffe406f750ef29d16b326d",
  },
  handle(_request, { reviver }) {
    text ??= JSON.stringify(makeRows());
    let seen = 0;
    const parsed: readonly Row[] = reviver
      ? JSON.parse(text, (_key, value: unknown) => {
          seen += 1;
          return value;
        })
      : JSON.parse(text);
    const sum = parsed.reduce((total, row) => total + row.id + row.values.length, 0);
    return wholeResponse(`${JSON.stringify({ rows: parsed.length, sum, seen })}\n`, "application/json");
  },
});

/** The document is the input, not the work: it is made once for each instance. */
let text: string | undefined;

/** A record of the document. */
interface Row {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  readonly values: readonly number[];
}

function makeRows(): Row[] {
  return Array.from({ length: RECORDS }, (_, id) => ({
    id,
    name: `row ${id}`,
    active: id % 3 === 0,
    values: Array.from({ length: 6 }, (_, index) => (id * 31 + index * 17) % 1000),
  }));
}

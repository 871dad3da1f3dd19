import { expect, test } from "vitest";
import { typeOfSchema, withoutSpace } from "./zod-types.ts";

const EVENT = `z.ZodReadonly<z.ZodObject<{
    kind: z.ZodEnum<{
        first: "first";
        "at-last": "at-last";
    }>;
}, z.core.$strict>>`;

test.each([
  ["z.ZodNullable<z.ZodInt>", "number | null"],
  ["z.ZodReadonly<z.ZodArray<z.ZodNullable<z.ZodString>>>", "readonly (string | null)[]"],
  ["z.ZodReadonly<z.ZodRecord<z.ZodString, z.ZodNumber>>", "Readonly<Record<string, number>>"],
  ["z.ZodReadonly<z.ZodTuple<[z.ZodNumber, z.ZodInt], null>>", "readonly [number, number]"],
  [
    "z.ZodReadonly<z.ZodArray<z.ZodReadonly<z.ZodTuple<[z.ZodInt, z.ZodInt], null>>>>",
    "readonly (readonly [number, number])[]",
  ],
  ['z.ZodDiscriminatedUnion<[z.ZodString, z.ZodLiteral<true>], "type">', "string | true"],
])("the type of %s is %s", (schema, type) => {
  expect(typeOfSchema(schema, new Map())).toBe(type);
});

test("an object keeps its comments, what may be missing, and the names of its parts", () => {
  const schema = `z.ZodReadonly<z.ZodObject<{
    /** Milliseconds; null: not known. */
    ms: z.ZodNullable<z.ZodNumber>;
    quick: z.ZodExactOptional<z.ZodLiteral<true>>;
    events: z.ZodReadonly<z.ZodArray<${EVENT}>>;
}, z.core.$strict>>`;
  const named = new Map([[withoutSpace(EVENT), "RunEvent"]]);
  expect(typeOfSchema(schema, named)).toBe(`{
/** Milliseconds; null: not known. */
    readonly ms: number | null;
readonly quick?: true;
readonly events: readonly RunEvent[];
}`);
  expect(typeOfSchema(EVENT, new Map())).toBe('{\nreadonly kind: "first" | "at-last";\n}');
});

test("a schema that nobody wrote a type for ends the build", () => {
  expect(() => typeOfSchema("z.ZodMap<z.ZodString, z.ZodString>", new Map())).toThrow("ZodMap");
});

import { expect, test } from "vitest";
import { defineCase } from "./case.ts";
import { assertId } from "./ids.ts";

const minimalCase = {
  title: "A case",
  description: "For tests.",
  golden: null,
  handle: () => new Response(null, { status: 204 }),
} as const;

test.each([
  [
    { type: "integer", default: 11, minimum: 1, maximum: 10, description: "" },
    /"p".*an integer from 1 to 10.*11/,
  ],
  [{ type: "choice", default: "c", choices: ["a", "b"], description: "" }, /"p".*one of a, b/],
] as const)("a default outside its own bounds is refused with the parameter's name", (p, message) => {
  expect(() => defineCase({ ...minimalCase, parameters: { p } })).toThrow(message);
});

test("a case without parameters need not say so, and other fields stay", () => {
  expect(defineCase(minimalCase)).toEqual({ ...minimalCase, parameters: {} });
});

test.each([3, null, { p: {} }, { p: null }, { p: { type: "choice" } }])(
  "parameters that are none (%j) are left to the build, which names the field",
  (parameters) => {
    const written = { ...minimalCase, parameters } as unknown as typeof minimalCase;
    expect(defineCase(written)).toEqual(written);
  },
);

test("an id is lower-case words joined by hyphens, short enough for a folder's name", () => {
  for (const id of ["React", "a_b", "-a", "a-", "a--b", "1a", "", "a/b"]) {
    expect(() => assertId(id, "Case"), id).toThrow(/lower-case words/);
  }
  expect(() => assertId("a".repeat(300), "Case")).toThrow(/300 letters/);
  for (const id of ["a", "react-ssr", "h2-b3"]) {
    expect(() => assertId(id, "Case"), id).not.toThrow();
  }
});

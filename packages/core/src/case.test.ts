import { expect, test } from "vitest";
import { caseManifest, defineCase } from "./case.ts";
import { assertId } from "./platform.ts";

const base = {
  title: "A case",
  description: "For tests.",
  golden: null,
  headline: "lastByteMs",
  handle: () => new Response(null, { status: 204 }),
} as const;

test("a manifest has the kind of work, and null where the case names none", () => {
  const plain = defineCase({ ...base, parameters: {} });
  expect(caseManifest("a", plain).kind).toBeNull();
  expect(caseManifest("a", { ...plain, kind: "React" }).kind).toBe("React");
});

test("a default outside its own bounds is refused with the parameter's name", () => {
  const parameters = {
    n: { type: "integer", default: 11, minimum: 1, maximum: 10, description: "" },
  } as const;
  expect(() => defineCase({ ...base, parameters })).toThrow(/"n".*an integer from 1 to 10.*11/);
});

test("a default that is none of the choices is refused", () => {
  const parameters = { how: { type: "choice", default: "c", choices: ["a", "b"], description: "" } } as const;
  expect(() => defineCase({ ...base, parameters })).toThrow(/"how".*one of a, b/);
});

test.each(["React", "a_b", "-a", "a-", "a--b", "1a", "", "a/b"])("%j is no id", (id) => {
  expect(() => assertId(id, "Case")).toThrow(/lower-case words/);
});

test("an id that could name no folder is refused", () => {
  expect(() => assertId("a".repeat(300), "Case")).toThrow(/300 letters/);
});

test.each(["a", "react-ssr", "h2-b3"])("%j is an id", (id) => {
  expect(() => assertId(id, "Case")).not.toThrow();
});

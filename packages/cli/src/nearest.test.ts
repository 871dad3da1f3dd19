import { expect, test } from "vitest";
import { pick } from "./nearest.ts";

const known = ["empty", "react-ssr", "react-ssr-stream"];

test("an unknown name is refused with the nearest one", () => {
  expect(() => pick("case", ["react-srr"], known)).toThrow(/no case "react-srr".*Did you mean "react-ssr"\?/);
});

test("a name that is near to nothing gets only the list", () => {
  expect(() => pick("case", ["zzzzzzzz"], known)).toThrow(/^There is no case "zzzzzzzz"\. Known: empty, /);
});

test("names are given back in the catalogue's order, and none means all", () => {
  expect(pick("case", ["react-ssr-stream", "empty"], known)).toEqual(["empty", "react-ssr-stream"]);
  expect(pick("case", [], known)).toEqual(known);
});

import { expect, test } from "vitest";
import { assertBuildable } from "./build-app.ts";

test("a folder that a framework cannot build in is named, with what is wrong in its name", () => {
  expect(() => assertBuildable("/home/a#b/what?/apps/astro", "#?*")).toThrow(
    'nothing below a folder with "#" and "?" in its name. Move the clone: it lies in /home/a#b/what?/apps/astro.',
  );
  expect(() => assertBuildable("/home/Tim's bench (1)/apps/astro", "#?*")).not.toThrow();
  expect(() => assertBuildable("/home/a#b/apps/next", "")).not.toThrow();
});

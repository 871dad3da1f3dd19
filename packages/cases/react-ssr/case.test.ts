import reactPackage from "react/package.json" with { type: "json" };
import { expect, test } from "vitest";
import reactSsr from "./case.ts";

test("the pins tell the React that runs: its own version, and the build that NODE_ENV picks", async () => {
  expect(await reactSsr.pins?.({ platform: "node" })).toEqual({
    react: reactPackage.version,
    reactBuild: process.env.NODE_ENV === "production" ? "production" : "development",
  });
});

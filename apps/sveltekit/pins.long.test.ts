// What must not go unseen, built for real: an app whose pages are rendered when it is built.
import { fileURLToPath } from "node:url";
import { type AlteredApp, buildAltered } from "@evenbench/bundle/deployable/testing";
import { preflight } from "@evenbench/probe/preflight";
import { afterAll, beforeAll, expect, test } from "vitest";
import app from "./app.ts";
import { builders } from "./build.ts";

const SOURCES = ["src", "svelte.config.js", "vite.config.ts", "tsconfig.json", "package.json"];
const LAYOUT = "src/routes/+layout.server.ts";

let altered: AlteredApp;
beforeAll(async () => {
  altered = await buildAltered(
    fileURLToPath(new URL(".", import.meta.url)),
    SOURCES,
    [{ file: LAYOUT, from: "prerender = false", to: "prerender = true" }],
    builders.node,
  );
});
afterAll(() => altered?.[Symbol.asyncDispose]());

test("preflight refuses an app that prerenders its pages, and names the page and the target", async () => {
  const targets = [
    { name: "sound", url: await altered.serve(app.deployable("node") ?? "") },
    { name: "broken", url: await altered.serve(altered.deployable) },
  ];
  const cases = (await app.cases()).filter(({ id }) => id === "sveltekit-page");
  const { ok, problems } = await preflight({ targets, cases });
  expect(ok).toBe(false);
  expect(problems.find(({ kind }) => kind === "render")).toMatchObject({
    caseId: "sveltekit-page",
    values: { sound: "rendered anew for each request", broken: expect.stringContaining("came twice") },
  });
});

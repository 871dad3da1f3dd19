// What must not go unseen, built for real: a page that is rendered when it is built.
import { fileURLToPath } from "node:url";
import { type AlteredApp, buildAltered } from "@evenbench/bundle/deployable/testing";
import { preflight } from "@evenbench/probe/preflight";
import { afterAll, beforeAll, expect, test } from "vitest";
import app from "./app.ts";
import { builders } from "./build.ts";

const SOURCES = ["src", "astro.config.ts", "package.json"];
const PAGE = "src/pages/astro-page.astro";

let altered: AlteredApp;
beforeAll(async () => {
  altered = await buildAltered(
    fileURLToPath(new URL(".", import.meta.url)),
    SOURCES,
    [
      {
        file: PAGE,
        from: "const page = computePage();",
        to: "export const prerender = true;\nconst page = computePage();",
      },
    ],
    builders.node,
  );
});
afterAll(() => altered?.[Symbol.asyncDispose]());

test("preflight refuses an app that prerenders a page, and names the page and the target", async () => {
  const targets = [
    { name: "sound", url: await altered.serve(app.deployable("node") ?? "") },
    { name: "broken", url: await altered.serve(altered.deployable) },
  ];
  const cases = (await app.cases()).filter(({ id }) => id === "astro-page");
  const { ok, problems } = await preflight({ targets, cases });
  expect(ok).toBe(false);
  expect(problems.find(({ kind }) => kind === "render")).toMatchObject({
    caseId: "astro-page",
    values: { sound: "rendered anew for each request", broken: expect.stringContaining("came twice") },
  });
});

import { testPrerenderRefused } from "@evenbench/bundle/deployable/testing";
import { preflight } from "@evenbench/probe/preflight";
import app from "./app.ts";
import { builders } from "./build.ts";

testPrerenderRefused(import.meta, app, builders.node, {
  caseId: "astro-page",
  sources: ["src", "astro.config.ts", "package.json"],
  alterations: [
    {
      file: "src/pages/astro-page.astro",
      from: "const page = computePage();",
      to: "export const prerender = true;\nconst page = computePage();",
    },
  ],
  preflight,
});

import { testPrerenderRefused } from "@evenbench/bundle/deployable/testing";
import { preflight } from "@evenbench/probe/preflight";
import app from "./app.ts";
import { builders } from "./build.ts";

testPrerenderRefused(import.meta, app, builders.node, {
  caseId: "sveltekit-page",
  sources: ["src", "svelte.config.js", "vite.config.ts", "tsconfig.json", "package.json"],
  alterations: [{ file: "src/routes/+layout.server.ts", from: "prerender = false", to: "prerender = true" }],
  preflight,
});

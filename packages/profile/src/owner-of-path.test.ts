import { expect, test } from "vitest";
import { ownerOfPath, ownerOfRuntime } from "./owner-of-path.ts";

const NEXT = "apps/next/.next/standalone/node_modules/.pnpm/next@16.4.6_react@19.3.1/node_modules/next/dist";

test.each([
  [
    "node_modules/.pnpm/react-dom@19.3.1_react@19.3.1/node_modules/react-dom/cjs/a.js",
    "package",
    "react-dom",
  ],
  ["../../node_modules/srvx/dist/adapters/node.mjs", "package", "srvx"],
  ["node_modules/@sveltejs/kit/src/runtime/server/respond.js", "package", "@sveltejs/kit"],
  [`${NEXT}/server/app-render/app-render.js`, "package", "next"],
  [`${NEXT}/compiled/next-server/app-page-turbo.runtime.prod.js`, "package", "next"],
  [`${NEXT}/compiled/react-dom/cjs/react-dom-server.node.production.js`, "package", "react-dom"],
  [`${NEXT}/compiled/@edge-runtime/cookies/index.js`, "package", "@edge-runtime/cookies"],
  [
    "node_modules/.pnpm/@opennextjs+aws@4.1.12/node_modules/@opennextjs/aws/dist/a.js",
    "package",
    "@opennextjs/aws",
  ],
  ["apps/next/.open-next/cloudflare/init.js", "package", "@opennextjs/cloudflare"],
  ["apps/next/.next/server/chunks/ssr/0c8l_next_dist_1ml70wdqxm_35._.js", "package", "next"],
  ["apps/next/.next/server/chunks/ssr/packages_cases_complex-page_src_page_ts_03._.js", "case", "the case"],
  ["apps/sveltekit/.svelte-kit/vercel-tmp/index.js", "package", "@sveltejs/adapter-vercel"],
  ["packages/cases/react-ssr/case.ts", "case", "the case"],
  ["packages/cases/complex-page/src/react.tsx", "case", "the case"],
  ["apps/next/app/next-page/page.tsx", "case", "the case"],
  ["apps/sveltekit/src/routes/sveltekit-page/+page.svelte", "case", "the case"],
  ["server/chunks/entries/pages/sveltekit-page/_page.svelte.js-8z1.js", "case", "the case"],
  ["apps/astro/src/pages/astro-page.astro", "case", "the case"],
  ["apps/astro/src/components/Part.astro", "case", "the case"],
  ["node_modules/@astrojs/node/dist/serve-app.js", "package", "@astrojs/node"],
  ["node_modules/astro/dist/runtime/server/render/page.js", "package", "astro"],
  ["packages/core/src/mask.ts", "harness", "evenbench"],
  ["src/entry.ts", "harness", "evenbench"],
])("%s is of %s %s", (path, kind, name) => {
  expect(ownerOfPath(path)).toEqual({ kind, name });
});

test.each([
  "upload/worker.js",
  "apps/next/.open-next/server-functions/default/apps/next/handler.mjs",
  "apps/next/.next/server/chunks/ssr/[root-of-the-server]__214ux39y9kith._.js",
])("%s does not tell whose it is", (path) => {
  expect(ownerOfPath(path)).toBeNull();
});

test("the runtime's own scripts are told by their scheme, and functions without a script are built in", () => {
  expect(ownerOfRuntime("node:internal/timers", "Node.js")?.name).toBe("Node.js internals");
  expect(ownerOfRuntime("node-internal:internal_buffer", "workerd")?.name).toBe("workerd internals");
  expect(ownerOfRuntime("ext:core/01_core.js", "Deno")?.name).toBe("Deno internals");
  expect(ownerOfRuntime("", "workerd")?.name).toBe("workerd built-in functions");
  expect(ownerOfRuntime("file:///srv/server.mjs", "Node.js")).toBeNull();
  expect(ownerOfRuntime("artifact/index.mjs", "workerd")).toBeNull();
});

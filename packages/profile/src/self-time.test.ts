import type { Owner } from "@evenbench/results";
import { expect, test } from "vitest";
import { ownerOfPath, ownerOfRuntime } from "./attribution.ts";
import type { CallFrame, CpuProfile } from "./inspector.ts";
import { selfTime } from "./self-time.ts";

/** Samples of functions of files: "render@a.js" is at the first line of a.js, "(idle)" in none. */
function profileOf(samples: Readonly<Record<string, number>>): CpuProfile {
  const nodes = Object.keys(samples).map((text, id) => {
    const [functionName = "", url = ""] = text.split("@");
    const at = url === "" ? -1 : 0;
    return { id, callFrame: { functionName, url, lineNumber: at, columnNumber: at } };
  });
  const ids = Object.values(samples).flatMap((count, id) => new Array<number>(count).fill(id));
  return { nodes, startTime: 0, endTime: 1, samples: ids };
}

const byFile = ({ url }: CallFrame): Owner =>
  url === "" ? { kind: "runtime", name: "others" } : { kind: "package", name: url };

test("samples are added up by package, the largest first; idle ones are no part of the shares", () => {
  const samples = {
    "(root)": 1,
    "read@b.js": 2,
    "render@a.js": 3,
    "(garbage collector)": 4,
    "parse@a.js": 6,
  };
  const found = selfTime(profileOf({ ...samples, "(idle)": 100 }), byFile);
  expect(found).toMatchObject({ samples: 116, busySamples: 16, collectorShare: 0.25, unattributedShare: 0 });
  expect(found.rows).toEqual([
    { kind: "package", name: "a.js", samples: 9, share: 9 / 16 },
    { kind: "collector", name: "garbage collector", samples: 4, share: 4 / 16 },
    { kind: "package", name: "b.js", samples: 2, share: 2 / 16 },
    { kind: "program", name: "program", samples: 1, share: 1 / 16 },
    { kind: "idle", name: "idle", samples: 100, share: null },
  ]);
});

test("a function that is named like a part of every object is a function", () => {
  const { rows } = selfTime(profileOf({ constructor: 3 }), byFile);
  expect(rows).toEqual([{ kind: "runtime", name: "others", samples: 3, share: 1 }]);
});

test("a profile without samples has no shares", () => {
  const nothing = { samples: 0, busySamples: 0, rows: [], collectorShare: 0 };
  expect(selfTime(profileOf({}), byFile)).toMatchObject(nothing);
});

const NEXT = "apps/next/.next/standalone/node_modules/.pnpm/next@16.4.6_react@19.3.1/node_modules/next/dist";

test.each([
  [
    "node_modules/.pnpm/react-dom@19.3.1_react@19.3.1/node_modules/react-dom/cjs/a.js",
    "package",
    "react-dom",
  ],
  ["node_modules/@sveltejs/kit/src/runtime/server/respond.js", "package", "@sveltejs/kit"],
  [`${NEXT}/compiled/next-server/app-page-turbo.runtime.prod.js`, "package", "next"],
  [`${NEXT}/compiled/react-dom/cjs/react-dom-server.node.production.js`, "package", "react-dom"],
  [`${NEXT}/compiled/@edge-runtime/cookies/index.js`, "package", "@edge-runtime/cookies"],
  ["apps/next/.open-next/cloudflare/init.js", "package", "@opennextjs/cloudflare"],
  ["apps/next/.next/server/chunks/ssr/0c8l_next_dist_1ml70wdqxm_35._.js", "package", "next"],
  ["apps/next/.next/server/chunks/ssr/packages_cases_complex-page_src_page_ts_03._.js", "case", "the case"],
  ["apps/sveltekit/.svelte-kit/vercel-tmp/index.js", "package", "@sveltejs/adapter-vercel"],
  ["packages/cases/react-ssr/case.ts", "case", "the case"],
  ["apps/next/app/next-page/page.tsx", "case", "the case"],
  ["apps/sveltekit/src/routes/sveltekit-page/+page.svelte", "case", "the case"],
  ["server/chunks/entries/pages/sveltekit-page/_page.svelte.js-8z1.js", "case", "the case"],
  ["apps/astro/src/pages/astro-page.astro", "case", "the case"],
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

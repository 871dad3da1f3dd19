import type { Profiler } from "node:inspector";
import { discoverApps } from "@evenbench/host";
import { expect, test } from "vitest";
import type { Attribution } from "./attribution.ts";
import { ownerByPath, ownerOfRuntime } from "./owners.ts";
import { selfTime } from "./self-time.ts";

/** Samples of functions of files: "render@a.js" is at the first line of a.js, "(idle)" in none. */
function profileOf(samples: Readonly<Record<string, number>>): Profiler.Profile {
  const nodes = Object.keys(samples).map((text, id) => {
    const [functionName = "", url = ""] = text.split("@");
    return { id, callFrame: { functionName, scriptId: "", url, lineNumber: 0, columnNumber: 0 } };
  });
  const ids = Object.values(samples).flatMap((count, id) => new Array<number>(count).fill(id));
  return { nodes, startTime: 0, endTime: 1, samples: ids };
}

const byFile: Attribution = {
  ownerOf: ({ url }) => (url === "" ? { kind: "runtime", name: "others" } : { kind: "package", name: url }),
  placeOf: ({ url }) => (url === "a.js" ? { file: "src/a.ts", line: 7 } : null),
};

test("samples are added up by package, the largest first; idle ones are no part of the shares", () => {
  const code = { "read@b.js": 2, "render@a.js": 3, "parse@a.js": 6 };
  const found = selfTime(
    profileOf({ ...code, "(root)": 1, "(garbage collector)": 4, "(idle)": 100 }),
    byFile,
  );
  expect(found).toMatchObject({ samples: 116, busySamples: 16, collectorShare: 0.25, unattributedShare: 0 });
  expect(found.rows).toEqual([
    { kind: "package", name: "a.js", samples: 9, share: 9 / 16 },
    { kind: "collector", name: "garbage collector", samples: 4, share: 4 / 16 },
    { kind: "package", name: "b.js", samples: 2, share: 2 / 16 },
    { kind: "program", name: "program", samples: 1, share: 1 / 16 },
    { kind: "idle", name: "idle", samples: 100, share: null },
  ]);
});

test("the five hottest functions have file and line, of their source where a map says it; the runtime's own have none", () => {
  const code = { "one@a.js": 9, "@b.js": 8, "two@a.js": 2, "three@c.js": 3, "four@c.js": 4, "five@c.js": 5 };
  const { hottest } = selfTime(profileOf({ ...code, write: 50, "(idle)": 19 }), byFile);
  const shown = hottest.map(({ name, owner, file, line, samples }) => [name, owner, file, line, samples]);
  expect(shown).toEqual([
    ["one", "a.js", "src/a.ts", 7, 9],
    ["(top level)", "b.js", "b.js", null, 8],
    ["five", "c.js", "c.js", 1, 5],
    ["four", "c.js", "c.js", 1, 4],
    ["three", "c.js", "c.js", 1, 3],
  ]);
  expect(hottest[0]?.share).toBe(9 / 81);
});

test("a module's top level is at its line with the most samples", () => {
  const profile = profileOf({ "@c.js": 5 });
  const positionTicks = [
    { line: 3, ticks: 1 },
    { line: 12, ticks: 4 },
  ];
  const nodes = profile.nodes.map((node) => ({ ...node, positionTicks }));
  expect(selfTime({ ...profile, nodes }, byFile).hottest).toMatchObject([{ name: "(top level)", line: 12 }]);
});

test("a function that is named like a part of every object is a function", () => {
  const { rows } = selfTime(profileOf({ constructor: 3 }), byFile);
  expect(rows).toEqual([{ kind: "runtime", name: "others", samples: 3, share: 1 }]);
});

test("a profile without samples has no shares", () => {
  const nothing = { samples: 0, busySamples: 0, rows: [], collectorShare: 0 };
  expect(selfTime(profileOf({}), byFile)).toMatchObject(nothing);
});

/** The files that the builds of apps here make, as the apps name them. */
const generated = (await discoverApps()).flatMap((app) => app.generated ?? []);

const COMPILED =
  "apps/next/.next/standalone/node_modules/.pnpm/next@16.4.6_react@19.3.1/node_modules/next/dist/compiled";

test.each([
  ["package", "react-dom", "node_modules/.pnpm/react-dom@19.3.1/node_modules/react-dom/cjs/a.js"],
  ["package", "@sveltejs/kit", "node_modules/@sveltejs/kit/src/runtime/server/respond.js"],
  ["package", "next", `${COMPILED}/next-server/app-page-turbo.runtime.prod.js`],
  ["package", "react-dom", `${COMPILED}/react-dom/cjs/react-dom-server.node.production.js`],
  ["package", "@edge-runtime/cookies", `${COMPILED}/@edge-runtime/cookies/index.js`],
  ["package", "@opennextjs/cloudflare", "apps/next/.open-next/cloudflare/init.js"],
  ["package", "next", "apps/next/.next/server/chunks/ssr/0c8l_next_dist_1ml70wdqxm_35._.js"],
  ["case", "the case", "apps/next/.next/server/chunks/ssr/packages_cases_complex-page_src_page_ts_03._.js"],
  ["package", "@sveltejs/adapter-vercel", "apps/sveltekit/.svelte-kit/vercel-tmp/index.js"],
  ["case", "the case", "packages/cases/react-ssr/case.ts"],
  ["case", "the case", "apps/next/app/next-page/page.tsx"],
  ["case", "the case", "apps/sveltekit/src/routes/sveltekit-page/+page.svelte"],
  ["case", "the case", "server/chunks/entries/pages/sveltekit-page/_page.svelte.js-8z1.js"],
  ["case", "the case", "apps/astro/src/pages/astro-page.astro"],
  ["harness", "evenbench", "packages/core/src/mask.ts"],
  ["harness", "evenbench", "src/entry.ts"],
  [undefined, undefined, "upload/worker.js"],
  [undefined, undefined, "apps/next/.open-next/server-functions/default/apps/next/handler.mjs"],
  [undefined, undefined, "apps/next/.next/server/chunks/ssr/[root-of-the-server]__214ux39y9kith._.js"],
])("the time is of the %s %s in %s", (kind, name, path) => {
  const owner = ownerByPath(generated)(path);
  expect([owner?.kind, owner?.name]).toEqual([kind, name]);
});

test.each([
  ["node:internal/timers", "Node.js", "Node.js internals"],
  ["node-internal:internal_buffer", "workerd", "workerd internals"],
  ["ext:core/01_core.js", "Deno", "Deno internals"],
  ["", "workerd", "workerd built-in functions"],
  ["file:///srv/server.mjs", "Node.js", undefined],
  ["artifact/index.mjs", "workerd", undefined],
])('a script "%s" of %s is of %s', (url, runtime, name) => {
  expect(ownerOfRuntime(url, runtime)?.name).toBe(name);
});

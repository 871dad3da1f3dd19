import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { discoverOwnApps, repositoryRoot } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { ownAppTarget, runPlanOf } from "@evenbench/runner";
import { expect, test } from "vitest";
import { type BuiltApp, describeApp, proposal } from "./app-words.ts";
import { createProgram } from "./main.ts";
import { assertBuilt, assertScript } from "./own-app.ts";
import { readOwnRequests } from "./own-requests.ts";

const platform = {
  id: "node",
  title: "Node.js cluster",
  description: "",
  serve: () => Promise.reject(new Error("It is not served.")),
  close: () => Promise.resolve(),
  size: () => Promise.resolve({ bytes: 2e6, gzipBytes: 5e5, limit: null }),
};
const requests = await readOwnRequests({ path: ["/api/hello"] });
const target = ownAppTarget(
  {
    platform,
    sources: "/copy",
    deployable: "/copy",
    environment: { SECRET: "s" },
    readyPath: "/api/hello",
    builtFrom: "Next.js",
  },
  requests.settings,
);
const built: BuiltApp = {
  requests,
  targets: [target],
  app: {
    name: "shop",
    title: "Next.js (App Router)",
    packages: ["next 16.4.6"],
    folder: "/user/shop",
    source: {
      folder: "/user/shop",
      workspace: "/user",
      root: "/user",
      unreached: null,
      passedOver: [],
      variables: {},
      packageJson: null,
      packageManager: "pnpm",
      managerVersion: null,
      files: [],
      rangeOf: () => null,
    },
    targets: [
      {
        platform,
        deployable: "/copy",
        size: { bytes: 2e6, gzipBytes: 5e5, limit: { bytes: 1e6, counts: "gzipBytes", says: "1 MB" } },
      },
    ],
    refusals: [{ platform: "cloudflare", why: "It imports bun:sqlite.", quotes: [] }],
    routes: [
      { path: "/", kind: "prerendered", hasMiddleware: false, note: null },
      { path: "/api/hello", kind: "dynamic", hasMiddleware: true, note: null },
    ],
    notes: ["A file was added in the copy."],
    variables: { SECRET: "s3cret" },
    commandVariables: {},
    read: [
      { file: ".env", applied: ["SECRET"], notApplied: [{ what: "PORT", why: "Evenbench sets it" }] },
      { file: "package.json\n  forged line", applied: ["engines.node >=20"], notApplied: [] },
    ],
    simulated: [{ target: "cloudflare", binding: "KV namespace BLOG", by: "Miniflare" }],
    copy: "/copy",
    logFile: "/copy.log",
    isReused: false,
    changedSince: () => [],
  },
};

test("the help of app and the README name each kind of app that it takes", async () => {
  const { commands } = await createProgram();
  const description = commands.find((command) => command.name() === "app")?.description();
  const kinds = (await discoverOwnApps()).flatMap(({ title }) => title.split(", or "));
  const readme = readFileSync(join(repositoryRoot, "README.md"), "utf8").replaceAll("`", "");
  expect(kinds).toContain("Next.js");
  for (const kind of kinds) {
    expect(description).toContain(kind);
    expect(readme).toContain(kind);
  }
});

test("before anything is measured, an app's sizes, routes, refusals and the names of its variables are said", () => {
  const text = describeApp(built);
  expect(text.split("\n")).toEqual([
    "shop: Next.js (App Router), pnpm",
    "  node        2.00 MB, 500 KB compressed: 50 % of the limit (1 MB)",
    "  cloudflare  left out: It imports bun:sqlite.",
    "Routes:",
    "  /           prerendered: no platform renders it",
    "  /api/hello  dynamic; behind middleware",
    "- Packages: next 16.4.6.",
    "- A file was added in the copy.",
    "- .env: SECRET.",
    "- .env: not applied: PORT (Evenbench sets it).",
    "- package.json   forged line: engines.node >=20.",
    "- Simulated by Miniflare, and new at each start: KV namespace BLOG. Their time and memory are of this machine, and count as the app's.",
  ]);
});

const NOTHING_RENDERED = "Every page is prerendered, so there is nothing to measure.";

test.each([
  [
    "every page is prerendered",
    [NOTHING_RENDERED, NOTHING_RENDERED],
    `cloudflare, node: ${NOTHING_RENDERED}`,
  ],
  [
    "its builds failed",
    ["`wrangler` failed.\nWhat to do.", "`next build` failed."],
    "cloudflare: `wrangler` failed. node: `next build` failed.",
  ],
])("where %s, the last line is true and names each reason once", (_, [first = "", second = ""], reasons) => {
  const refusals = [
    { platform: "cloudflare", why: first, quotes: [] },
    { platform: "node", why: second, quotes: [] },
  ];
  const nothing = { ...built, targets: [], app: { ...built.app, targets: [], refusals } };
  expect(() => assertBuilt(nothing, {})).toThrow(`Nothing was measured: no platform is left. ${reasons}`);
  const rows = describeApp(nothing).split("\n");
  expect(rows.filter((row) => row.includes("left out: "))).toHaveLength(new Set([first, second]).size);
});

test("a dynamic route is proposed for measuring, and an app without one is not", () => {
  expect(proposal(built, "../shop")).toBe("Measure it: npm run bench -- app ../shop --path /api/hello");
  const { app } = built;
  const still = { ...built, app: { ...app, routes: app.routes.slice(0, 1) } };
  expect(proposal(still, "../shop")).toMatch(/No route is dynamic.*nothing to compare\.$/);
});

test.each([
  ["/posts/[id=integer]/[[page]]", "/posts/id"],
  ["/users/:id", "/users/id"],
])(
  "of an app whose one dynamic route is %s, a path of that is proposed and none that a cache answers",
  (path, filled) => {
    const { app } = built;
    const routes = [
      ...app.routes.slice(0, 1),
      { path, kind: "dynamic", hasMiddleware: false, note: null } as const,
    ];
    const lines = [
      `Measure it: npm run bench -- app ../shop --path ${filled}`,
      `(or another path of ${path} that your app answers)`,
    ];
    expect(proposal({ ...built, app: { ...app, routes } }, "../shop")).toBe(lines.join("\n"));
  },
);

test("a target of an app is named as its platform, and its servers get the app's variables", async () => {
  const plan = runPlanOf({ targets: [target], cases: { "own-server": requests.cases } }, {});
  expect(plan.targets).toMatchObject([
    { name: "node", platform: "node", app: "own-server" },
    { copyOf: "node" },
  ]);
  expect(JSON.stringify(plan)).not.toContain("SECRET");
});

test("a script that --start runs, and that package.json lacks, is said before anything is built", () => {
  const folder = testFolder();
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ scripts: { dev: "vite", serve: "node a.js" } }),
  );
  for (const command of ["npm start", "pnpm run start", "npm run preview -- --port 3000"]) {
    const said = /^before: .* Its scripts: dev, serve\./;
    expect(() => assertScript(folder, command, "before"), command).toThrow(said);
  }
  const runs = ["npm run serve", "npm run serve -- --port 3000", "npx start", "node start", ""];
  const elsewhere = [
    "yarn run next start",
    "bun run server.ts",
    "npm run -s serve",
    "npm start --workspace web",
  ];
  for (const command of [...runs, ...elsewhere]) {
    expect(() => assertScript(folder, command, "before"), command).not.toThrow();
  }
});

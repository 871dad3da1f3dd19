import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { shellWord } from "@evenbench/core/shell";
import { discoverOwnApps, repositoryRoot } from "@evenbench/host";
import { repeatCommand, shortCommand } from "@evenbench/report";
import { ownAppTarget, ownServerUrl, runPlanOf } from "@evenbench/runner";
import { expect, test } from "vitest";
import { createProgram } from "./main.ts";
import { appMeasurement } from "./measure-app.ts";
import { type AppOptions, addAppOptions, NOT_FOR_OWN } from "./options.ts";
import { assertBuilt, type BuiltApp, describeApp, proposal, recordOf } from "./own-app.ts";
import { readOwnRequests } from "./own-servers.ts";

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
      variables: {},
      packageJson: null,
      packageManager: "pnpm",
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
    refusals: [{ platform: "cloudflare", why: "It imports bun:sqlite." }],
    routes: [
      { path: "/", kind: "prerendered", hasMiddleware: false, note: null },
      { path: "/api/hello", kind: "dynamic", hasMiddleware: true, note: null },
    ],
    notes: ["A file was added in the copy."],
    variables: { SECRET: "s3cret" },
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
  const [folder] = commands.find((command) => command.name() === "app")?.registeredArguments ?? [];
  const kinds = (await discoverOwnApps(repositoryRoot)).flatMap(({ title }) => title.split(", or "));
  const readme = readFileSync(join(repositoryRoot, "README.md"), "utf8").replaceAll("`", "");
  expect(kinds).toContain("Next.js");
  for (const kind of kinds) {
    expect(folder?.description).toContain(kind);
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
    "- Simulated by Miniflare, and empty at each start: KV namespace BLOG. Their time and memory are of this machine, and count as the app's.",
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
    ["`wrangler` failed.\n  | its lines", "`next build` failed."],
    "cloudflare: `wrangler` failed. node: `next build` failed.",
  ],
])("where %s, the last line is true and names each reason once", (_, [first = "", second = ""], reasons) => {
  const refusals = [
    { platform: "cloudflare", why: first },
    { platform: "node", why: second },
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
  ["/[slug]", "/slug"],
  ["/posts/[id=integer]/[[page]]", "/posts/id"],
  ["/docs/[...path]", "/docs/path"],
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

test("nobody's number of cold starts is none, so that the answer of an app has their time; a given one counts", () => {
  expect(appOptions([])).toMatchObject({ cold: undefined });
  expect(appOptions(["--cold", "0"])).toMatchObject({ cold: 0 });
});

test("the command that repeats a run of an app has its folder and all that it was built with, and no target", () => {
  const ownApp = {
    folder: "../my shop",
    title: "Next.js",
    on: ["node"],
    envFiles: [".env.bench"],
    start: "npm start",
    build: "npm run build",
    read: [],
    simulated: [],
  };
  const plan = runPlanOf(
    { targets: [target], cases: { "own-server": requests.cases }, ownApp, seed: 7, timeMs: 60_000 },
    {},
  );
  const words =
    "'../my shop' --on node --env-file .env.bench --build 'npm run build' --start 'npm start' --path /api/hello --cold 0 --time 60s";
  expect(shortCommand({ plan })).toBe(`npm run bench -- app ${words}`);
  expect(repeatCommand({ plan })).toBe(`npm run bench -- app ${words.replace("shop' ", "shop' --seed 7 ")}`);
});

/** Makes the options of `app` from words. */
function appOptions(words: readonly string[]): AppOptions {
  const command = new Command();
  addAppOptions(command);
  return command.parse(words, { from: "user" }).opts() as AppOptions;
}

/** Writes the command that repeats a run of `app` which was started with these words. */
async function repeated(words: readonly string[]): Promise<string> {
  const options = appOptions(words);
  const asked = await readOwnRequests({ path: ["/a"], ...options });
  const cloudflare = { ...target, name: "cloudflare" };
  const measured = { ...built, targets: [target, cloudflare], requests: asked };
  const cost = { roundMs: 3, startMs: 200, warmUpMs: 50, searchMs: 300 };
  const costs = Object.fromEntries(asked.cases.map(({ id }) => [id, cost]));
  return shortCommand({ plan: runPlanOf(appMeasurement(measured, "../shop", options), costs) });
}

/** Words for options of `app`, none of which is a default, and what the command that repeats the run has of them. */
const KEPT: Readonly<Record<string, readonly [words: readonly string[], kept: string]>> = {
  "--on": [["--on", "node,cloudflare"], "--on node,cloudflare"],
  "--env-file": [["--env-file", "a.env", "b.env"], "--env-file a.env --env-file b.env"],
  "--build": [["--build", "npm run build"], "--build 'npm run build'"],
  "--start": [["--start", "npm start"], "--start 'npm start'"],
  "--quick": [["--quick"], "--quick"],
  "--time": [["--time", "20s"], "--time 20s"],
  // In equal parts it is a time for each path.
  "--total": [["--total", "90s", "--path", "/a", "/b"], "--time 45s"],
  "--precision": [["--precision", "2%"], "--precision 0.02"],
  "--rounds": [["--rounds", "7"], "--rounds 7"],
  "--trials": [["--trials", "7"], "--trials 7"],
  "--warm-up": [["--warm-up", "9"], "--warm-up 9"],
  "--baseline": [["--baseline", "cloudflare"], "--baseline cloudflare"],
  "--server-cores": [["--server-cores", "apart"], "--server-cores apart"],
  "--cold": [["--cold", "5"], "--cold 5"],
  "--path": [["--path", "/b?c=d"], "--path '/b?c=d'"],
  "--mask": [["--mask", "id-[0-9]+"], "--mask 'id-[0-9]+'"],
  "--same-work": [["--same-work", "json"], "--same-work json"],
  "--header": [["--header", "accept-language: de"], "--header 'accept-language: de'"],
  "--method": [["--method", "DELETE"], "--method DELETE"],
  "--method with --body": [["--method", "POST", "--body", import.meta.filename], "--method POST --body "],
  "--body": [["--body", import.meta.filename], `--body ${shellWord(import.meta.filename)}`],
};

/** Options that the command does not have, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "--seed": "Another order is another sample; the command that repeats a run exactly has it.",
  "--out": "It changes no measurement.",
  "--quiet": "It changes no measurement.",
  "--json": "It changes no measurement.",
  "--rebuild": "What is built of the same sources is the same.",
};

test("each option of app stands in the command that repeats a run, or it is said why not", () => {
  const command = new Command();
  addAppOptions(command);
  const options = command.options.flatMap(({ long }) => long ?? []).filter((long) => !(long in NOT_FOR_OWN));
  const named = Object.keys(KEPT).map((words) => words.split(" ")[0]);
  expect([...new Set([...named, ...Object.keys(LEFT_OUT)])].sort()).toEqual(options.sort());
});

test.each(Object.entries(KEPT))("%s is repeated as it was typed", async (_, [words, kept]) => {
  const command = await repeated(words);
  expect(command).toMatch(/^npm run bench -- app \.\.\/shop /);
  expect(command).toContain(` ${kept}`);
});

test("the command that repeats a run has no secret of its paths and headers", async () => {
  const secrets = ["--path", "/a?token=s3cret", "--header", "authorization: Bearer s3cret"];
  const command = await repeated(secrets);
  expect(command).toContain("--path '/a?token=<value>' --header 'authorization: <value>'");
});

test.each([
  [{ base: "0a1b2c3d4e5f", withPackages: [] }, "0a1b2c3d4e5f"],
  [{ base: "../my before", withPackages: [] }, "'../my before'"],
  [{ base: null, withPackages: ["next@16.3.0", "react@19.0.0"] }, "--with next@16.3.0 --with react@19.0.0"],
])("a run of two states of an app is repeated by `against` as it was typed: %j", (against, compared) => {
  const states = ["node.base", "node.head"].map((name) => ({ ...target, name }));
  const cases = { "own-server": requests.cases };
  const ownApp = { ...recordOf(built, "../my shop", { build: "npm run build" }), against };
  const terms = { baseline: "node.base", timeMs: 60_000, allow: ["artifact"] };
  const plan = runPlanOf({ targets: states, cases, ...terms, ownApp }, {});
  const command = `npm run bench -- against ${compared} --own-app '../my shop' --on node --build 'npm run build' --path /api/hello --time 60s`;
  expect([shortCommand({ plan }), repeatCommand({ plan })]).toEqual([command, command]);
});

test("servers of one's own that are named as two states are repeated by their own command", () => {
  const states = ["shop.base", "shop.head"].map((name) =>
    ownServerUrl(name, `http://${name}`, requests.settings),
  );
  const plan = runPlanOf({ targets: states, cases: { "own-server": requests.cases } }, {});
  expect(shortCommand({ plan })).toMatch(/--target shop\.base=\S+ --target shop\.head=/);
});

test("a target of an app is named as its platform, and its servers get the app's variables", async () => {
  const plan = runPlanOf({ targets: [target], cases: { "own-server": requests.cases } }, {});
  expect(plan.targets).toMatchObject([
    { name: "node", platform: "node", app: "own-server" },
    { copyOf: "node" },
  ]);
  expect(JSON.stringify(plan)).not.toContain("SECRET");
});

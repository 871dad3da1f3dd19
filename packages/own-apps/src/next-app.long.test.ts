import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { maskBody } from "@evenbench/core";
import { discoverPlatforms, repositoryRoot } from "@evenbench/host";
import { digestOfFolder, testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { beforeEach, expect, test, vi } from "vitest";
import { buildOwnApp, type OwnApp } from "./index.ts";

/** An app as people make it: with the line that OpenNext's template puts into next.config, and nothing installed. */
const APP: Readonly<Record<string, string>> = {
  "next.config.mjs": `import { initOpenNextCloudflareForDev } from "@opennextjs/cloudflare";
initOpenNextCloudflareForDev();
export default {};
`,
  "app/layout.js": "export default ({ children }) => <html><body>{children}</body></html>;\n",
  "app/page.js": "export default () => <h1>Home</h1>;\n",
  "app/news/page.js": "export const revalidate = 3600;\nexport default () => <h1>News</h1>;\n",
  "app/hello/[name]/page.js": `export const dynamic = "force-dynamic";
export default async ({ params }) => <h1>Hello, {(await params).name}</h1>;
`,
  "app/api/sum/route.js": `export function GET(request) {
  const { searchParams } = new URL(request.url);
  return Response.json({ sum: Number(searchParams.get("a")) + Number(searchParams.get("b")) });
}
`,
  "app/api/again/route.js": `export const GET = (request) => Response.json({ by: request.headers.get("x-by") });
`,
  // Clerk's middleware answers by a rewrite to the request's own address.
  "middleware.js": `import { NextResponse } from "next/server";
export function middleware(request) {
  const headers = new Headers(request.headers);
  headers.set("x-by", "middleware");
  const { pathname } = request.nextUrl;
  return pathname === "/news" ? NextResponse.next() : NextResponse.rewrite(request.url, { request: { headers } });
}
export const config = { matcher: ["/news", "/api/again"] };
`,
  "public/robots.txt": "User-agent: *\n",
};

const root = testFolder();
const app = join(root, "small-app");
/** pnpm, as the repository has it: it installs many packages in a part of npm's time. */
const { packageManager } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));

beforeEach(() => {
  vi.stubEnv("XDG_CACHE_HOME", join(root, "cache"));
  vi.stubEnv("npm_config_prefer_offline", "true");
  const own = readFileSync(join(repositoryRoot, "apps/next/package.json"), "utf8");
  const { dependencies: all, devDependencies: adapters } = JSON.parse(own);
  const { next, react, "react-dom": reactDom } = all;
  const dependencies = { next, react, "react-dom": reactDom };
  const { "@opennextjs/cloudflare": openNext, wrangler } = adapters;
  const devDependencies = { "@opennextjs/cloudflare": openNext, wrangler };
  const scripts = { build: "next build" };
  const manifest = { name: "small-app", packageManager, scripts, dependencies, devDependencies };
  writeFiles(app, { ...APP, "package.json": manifest });
});

test("an app of Next.js is built once for three platforms, which answer its dynamic routes alike", {
  timeout: 600_000,
}, async () => {
  const before = digestOfFolder(app);
  const all = await discoverPlatforms();
  const platforms = all.filter(({ id }) => ["cloudflare", "node", "vercel"].includes(id));
  const steps: string[] = [];
  const built = await buildOwnApp({
    folder: app,
    platforms,
    envFiles: [],
    build: null,
    isStarted: false,
    onStep: (step) => void steps.push(step),
  });
  expect(built.refusals).toEqual([]);
  expect(built.title).toBe("Next.js (App Router)");
  expect(built.targets.map(({ platform }) => platform.id)).toEqual(["cloudflare", "node", "vercel"]);
  expect(steps.filter((step) => step.includes('the script "build"'))).toHaveLength(1);
  const routes = built.routes.map(({ path, kind, hasMiddleware }) => [path, kind, hasMiddleware]);
  expect(routes).toEqual([
    ["/", "prerendered", false],
    ["/api/again", "dynamic", true],
    ["/api/sum", "dynamic", false],
    ["/hello/[name]", "dynamic", false],
    ["/news", "isr", true],
    ["/_next/image", "refused", false],
    ["/robots.txt", "static", false],
  ]);

  const answers = await answersOf(built);
  const pages = answers["/hello/world"];
  expect(pages?.node).toContain("world");
  expect(pages?.vercel).toBe(pages?.node);
  // Flight data comes in other pieces from workerd than from Node.js.
  const page = built.routes.find((route) => route.path === "/hello/[name]");
  const rules = { masks: [], variation: page?.variation ?? null };
  expect(maskBody(pages?.cloudflare ?? "", rules)).toBe(maskBody(pages?.node ?? "", rules));
  const sum = '{"sum":42}';
  expect(answers["/api/sum?a=40&b=2"]).toEqual({ cloudflare: sum, node: sum, vercel: sum });
  const again = '{"by":"middleware"}';
  expect(answers[REWRITTEN]).toEqual({ node: again, vercel: again });
  // Middleware in front of a page that is rendered again from time to time.
  expect(Object.keys(answers["/news"] ?? {})).toHaveLength(3);
  expect(new Set(Object.values(answers["/news"] ?? {})).size).toBe(1);

  expect(built.changedSince()).toEqual([]);
  expect(digestOfFolder(app)).toBe(before);
});

/** The commands of processes and of all that they started, as ps has them. */
function commandsBelow(pids: readonly number[]): readonly string[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => {
    const [pid, parent, ...command] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), command: command.join(" ") };
  });
  const found = new Set(pids);
  for (const { pid, parent } of processes.sort((a, b) => a.pid - b.pid)) {
    if (found.has(parent)) {
      found.add(pid);
    }
  }
  return processes.filter(({ pid }) => found.has(pid)).map(({ command }) => command);
}

/** A path that the app rewrites to itself, which is not asked on Cloudflare. */
const REWRITTEN = "/api/again";
const PATHS = ["/hello/world", "/api/sum?a=40&b=2", REWRITTEN, "/news"];

/** Starts the app once on each platform. @returns the bodies of its answers, by path and by platform. */
async function answersOf({ targets, copy }: OwnApp): Promise<Record<string, Record<string, string>>> {
  const answers: Record<string, Record<string, string>> = {};
  for (const { platform, deployable } of targets) {
    const logFile = join(root, `${platform.id}.log`);
    const settings = { cores: null, workers: 1, v8Flags: [], workingFolder: copy };
    const host = await platform.serve({ ...settings, deployable, port: 0, logFile, readyPath: "/" });
    try {
      for (const path of PATHS.filter((asked) => asked !== REWRITTEN || platform.id !== "cloudflare")) {
        const response = await fetch(new URL(path, host.url));
        expect(response.status, `${platform.id} ${path}`).toBe(200);
        answers[path] = { ...answers[path], [platform.id]: await response.text() };
      }
      const isWorkerd = (command: string) => command.includes("workerd");
      expect(commandsBelow(host.pids()).some(isWorkerd), platform.id).toBe(platform.id === "cloudflare");
    } finally {
      await host.stop();
    }
  }
  return answers;
}

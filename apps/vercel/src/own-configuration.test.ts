import { readFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { leaveToSettings, readVercelConfiguration, withOwnRoutes } from "./own-configuration.ts";
import { createRouter } from "./router.ts";
import { compileRoutes, type SourceRoute } from "./routes.ts";

const root = testFolder();
const BUILT = [{ handle: "filesystem" as const }, { src: "/.*", dest: "/index" }];

function folderWith(name: string, content: object): string {
  return writeFiles(join(root, name), { "vercel.json": content });
}

test("headers, redirects, rewrites and clean URLs of vercel.json lead requests before the build's own routes", async () => {
  const folder = folderWith("routes", {
    cleanUrls: true,
    trailingSlash: false,
    headers: [{ source: "/a/(.*)", headers: [{ key: "x-a", value: "1" }] }],
    redirects: [{ source: "/old/:name", destination: "/new/:name", permanent: false }],
    rewrites: [{ source: "/r/:name", destination: "/file/:name" }],
    regions: ["fra1"],
  });
  const routes = withOwnRoutes(folder, BUILT) as (SourceRoute | { handle: string })[];
  const places = ["/index", "/file/1"];
  const route = createRouter(compileRoutes(routes), (path) => places.find((place) => place === path));
  const ask = async (url: string) => {
    const { resource, status, headers } = await route(url, {}, () => Promise.reject(new Error("none")));
    return { resource, status, headers: [...headers].map(([name, { value }]) => `${name}: ${value}`) };
  };
  expect(await ask("/a/b")).toEqual({ resource: "/index", status: undefined, headers: ["x-a: 1"] });
  expect(await ask("/old/b")).toEqual({ resource: null, status: 307, headers: ["location: /new/b"] });
  expect(await ask("/a.html")).toEqual({ resource: null, status: 308, headers: ["location: /a"] });
  expect(await ask("/b/")).toEqual({ resource: null, status: 308, headers: ["location: /b"] });
  expect(await ask("/r/1")).toEqual({ resource: "/file/1", status: undefined, headers: [] });
  expect(readVercelConfiguration(folder, false)).toMatchObject([
    {
      applied: ["cleanUrls", "trailingSlash", "headers", "redirects", "rewrites"],
      notApplied: [{ what: "regions" }],
    },
  ]);
  writeFiles(folder, { "vercel.ts": "" });
  expect(readVercelConfiguration(folder, true)).toMatchObject([
    { file: "vercel.json", applied: [] },
    { file: "vercel.ts", applied: [] },
  ]);
});

test("a vercel.json that Vercel refuses is refused in its words; without one the routes stay", () => {
  expect(withOwnRoutes(root, BUILT)).toBe(BUILT);
  const folder = folderWith("wrong", { redirects: [{ source: "/a" }] });
  expect(() => withOwnRoutes(folder, BUILT)).toThrow(
    /vercel\.json is refused by Vercel's rules: .*redirect/i,
  );
});

test("what a build here sets is left out of a copy's vercel.json, and nothing else", async () => {
  const folder = folderWith("settings", { buildCommand: "pnpm turbo build", cleanUrls: true });
  await leaveToSettings(folder, ["framework", "buildCommand"]);
  expect(JSON.parse(readFileSync(join(folder, "vercel.json"), "utf8"))).toEqual({ cleanUrls: true });
  await leaveToSettings(root, ["buildCommand"]);
});

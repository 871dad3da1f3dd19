// docs/adding-a-platform.md: what is known of a platform lies in its folder.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { discoverPlatforms, repositoryRoot } from "@evenbench/host";
import { expect, test } from "vitest";

const NOT_SOURCES = /\.(test|d)\.[mc]?tsx?$|\/(node_modules|dist|test|\.[\w-]+)\//;

/** Places in the sources that name a platform, and why they may. A path that ends with "/" is a folder. */
const ACCEPTED: Readonly<Record<string, string>> = {
  "packages/experiments/": "claims are about named platforms",
  "packages/studies/": "studies are about targets that they name",
  "packages/cases/double-spend/": "its connections differ by platform, which its notSameCode says",
  "packages/cases/react-ssr-native/": "its renderer differs by platform, which its notSameCode says",
  "packages/core/src/app.ts": "the baseline of a run that names none",
  "packages/core/src/own-app.ts": "the package manager bun",
  "packages/own-apps/src/": "the package manager bun, and its lock files",
  "packages/bundle/src/framework/framework.ts": "frameworks' own servers for developing run on Node.js",
  "packages/cli/src/main.ts": "the first line of the help",
  "packages/cli/src/commands/": "examples in the help of commands, and the folder that a new platform copies",
  "packages/results/src/run-options.ts": "the option --node, which names the program node",
  "packages/results/src/schema/run.ts": "the same option in a plan",
  "packages/bundle/src/deployable/build.ts": "esbuild's own word for code that has the modules of Node.js",
  "packages/evenbench/src/": "the same word of esbuild, and the engines of a package.json",
  "packages/setup/": "the program node, and variables of tools",
  "packages/probe/src/cache-said.ts": "headers of caches that may stand before any server",
  "packages/host/src/web-server.ts": "the field of srvx that has the options of Node.js servers",
};

/** Names that platforms' runtimes, headers and variables have beside their ids. */
const OTHER_NAMES = ["workerd", "cf-[a-z]", "x-vercel", "VERCEL_", "CLOUDFLARE_", "Cloudflare-"];

/** A text, a key or a module's scheme that is a platform's id. Node.js's own modules are everybody's. */
function namesPlatform(ids: readonly string[]): RegExp {
  const id = ids.join("|");
  const texts = `(["'\`])(?:${id})\\1`;
  const keys = `^\\s*(?:\\w+: )?\\{? ?(?:${id}):`;
  const schemes = `(?:${ids.filter((name) => name !== "node").join("|")}):\\w`;
  return new RegExp([texts, keys, schemes, ...OTHER_NAMES].join("|"), "m");
}

/** Comments explain by example, and decide nothing. */
function withoutComments(source: string): string {
  return source.replace(/\/\*.*?\*\//gs, "").replace(/^\s*\/\/.*$/gm, "");
}

const ids = (await discoverPlatforms()).map(({ id }) => id);
const naming = globSync("packages/**/*.{ts,tsx,mts,mjs}", { cwd: repositoryRoot })
  .filter((file) => !NOT_SOURCES.test(file))
  .filter((file) =>
    namesPlatform(ids).test(withoutComments(readFileSync(join(repositoryRoot, file), "utf8"))),
  );

function accepts(place: string, file: string): boolean {
  return place.endsWith("/") ? file.startsWith(place) : file === place;
}

test("no source outside of a platform's folder names a platform, but for the accepted places", () => {
  const places = Object.keys(ACCEPTED);
  expect(naming.filter((file) => !places.some((place) => accepts(place, file)))).toEqual([]);
});

test.each(Object.keys(ACCEPTED))("%s is accepted because it names one", (place) => {
  expect(naming.filter((file) => accepts(place, file))).not.toEqual([]);
});

test("a module's scheme that is a platform's id would be found", () => {
  expect(namesPlatform(ids).test('const { connect } = await import("cloudflare:sockets");')).toBe(true);
});

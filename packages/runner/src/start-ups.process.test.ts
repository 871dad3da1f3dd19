import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { discoverPlatforms } from "@evenbench/host";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { beforeAll, expect, test } from "vitest";
import type { LocalTarget } from "./options.ts";
import { measureStart } from "./start-ups.ts";
import { ownAppTarget } from "./targets.ts";

let folder = "";
folderOfEachTest((made) => {
  folder = made;
});
let platforms: Awaited<ReturnType<typeof discoverPlatforms>>;
beforeAll(async () => {
  platforms = await discoverPlatforms();
});

/** The files of an app whose module begins with a statement, by platform. */
const FILES: Readonly<Record<string, (first: string) => Readonly<Record<string, string>>>> = {
  cloudflare: (first) => ({
    "wrangler.json": JSON.stringify({
      name: "app",
      main: "upload/worker.js",
      base_dir: "upload",
      compatibility_date: "2026-11-01",
    }),
    "upload/worker.js": `${first};\nexport default { fetch: () => new Response("ok") };\n`,
  }),
  node: (first) => ({
    "server.mjs": `import { createServer } from "node:http";
${first};
createServer((_, response) => response.end("ok")).listen(Number(process.env.PORT), process.env.HOST);\n`,
  }),
  vercel: (first) => ({
    "config.json": JSON.stringify({ version: 3 }),
    "functions/index.func/.vc-config.json": JSON.stringify({
      runtime: "nodejs24.x",
      handler: "index.mjs",
      launcherType: "Nodejs",
    }),
    "functions/index.func/index.mjs": `${first};\nexport default (_, response) => response.end("ok");\n`,
  }),
};

/** Writes an app, and makes its target. */
async function targetOf(id: string, name: string, first: string): Promise<LocalTarget> {
  const platform = platforms.find((each) => each.id === id);
  if (platform === undefined) {
    throw new Error(`No platform ${id}.`);
  }
  const deployable = join(folder, `${id}-${name}`);
  for (const [path, content] of Object.entries(FILES[id]?.(first) ?? {})) {
    await mkdir(dirname(join(deployable, path)), { recursive: true });
    await writeFile(join(deployable, path), content);
  }
  const built = {
    platform,
    deployable,
    sources: deployable,
    environment: {},
    readyPath: "/",
    builtFrom: "files",
  };
  return ownAppTarget(built, { method: "GET", headers: {}, body: null });
}

function start(target: LocalTarget) {
  return measureStart(target, target.name, {
    workers: 1,
    cores: null,
    logFolder: folder,
    exchangeTimeoutMs: 30_000,
  });
}

test.skipIf(process.platform !== "linux").each(["cloudflare", "node", "vercel"])(
  "a start on %s is measured with its control, and modules are evaluated in a request where the platform says so",
  async (id) => {
    const target = await targetOf(id, "plain", "const table = []");
    const { readyMs, controlMs, evaluation } = await start(target);
    expect(readyMs).toBeGreaterThan(0);
    expect(controlMs).toBeGreaterThan(0);
    expect(evaluation === null).toBe(id !== "cloudflare");
  },
);

test.skipIf(process.platform !== "linux").each([
  ["cloudflare", /not evaluated/],
  ["node", /did not start/],
  ["vercel", /did not start/],
])("an app that throws while its modules are evaluated on %s is refused, not measured", async (id, why) => {
  const target = await targetOf(id, "throws", 'throw new Error("no configuration")');
  await expect(start(target)).rejects.toThrow(why);
});

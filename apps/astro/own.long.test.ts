import { execFile } from "node:child_process";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { wrapConfiguration } from "./own.ts";

const folder = testFolder();

/** Reads the wrapped configuration and calls its hooks in Astro's order. */
const READ_CONFIGURATION = `
import { pathToFileURL } from "node:url";
import config from "./astro.config.mjs";

const { hooks } = config.integrations.at(-1);
hooks["astro:config:done"]({ config: { publicDir: pathToFileURL("public/") } });
hooks["astro:routes:resolved"]({ routes: [{ pattern: "/", type: "page", origin: "project", isPrerendered: false }] });
console.log(JSON.stringify({ site: config.site, adapter: config.adapter.name }));
`;

test("an app's wrapped configuration has the platform's adapter and writes routes and files", async () => {
  writeFiles(folder, {
    "public/icons/one.svg": "<svg/>",
    "astro.config.mjs": 'export default { site: "https://example.com" };\n',
    "read.mjs": READ_CONFIGURATION,
  });
  await symlink(join(import.meta.dirname, "node_modules"), join(folder, "node_modules"), "dir");
  await wrapConfiguration({ folder, note: () => {} });
  const { stdout } = await promisify(execFile)(process.execPath, ["read.mjs"], {
    cwd: folder,
    env: { ...process.env, EVENBENCH_ADAPTER: "@astrojs/node" },
  });

  expect(JSON.parse(stdout)).toEqual({ site: "https://example.com", adapter: "@astrojs/node" });
  expect(JSON.parse(await readFile(join(folder, ".astro/evenbench-routes.json"), "utf8"))).toEqual({
    routes: [{ pattern: "/", type: "page", origin: "project", isPrerendered: false }],
    files: ["icons/one.svg"],
  });
});

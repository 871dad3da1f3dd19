import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { wrapConfiguration } from "./own.ts";

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
  const folder = await mkdtemp(join(tmpdir(), "evenbench-astro-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await symlink(fileURLToPath(new URL("node_modules", import.meta.url)), join(folder, "node_modules"), "dir");
  await mkdir(join(folder, "public/icons"), { recursive: true });
  await writeFile(join(folder, "public/icons/one.svg"), "<svg/>");
  await writeFile(join(folder, "astro.config.mjs"), 'export default { site: "https://example.com" };\n');
  await writeFile(join(folder, "read.mjs"), READ_CONFIGURATION);

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

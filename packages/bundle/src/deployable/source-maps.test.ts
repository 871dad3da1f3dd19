import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { keepSourceMaps, readSourceMaps } from "./source-maps.ts";

const root = testFolder();

/** Writes a script with a map of one source into a deployable, and gives the deployable. */
function deployableOf(name: string, source: string, files: Readonly<Record<string, string>>): string {
  const map = { version: 3, sources: [source], names: [], mappings: "AAAA" };
  return writeFiles(join(root, name), { "page.js": "export {};", "page.js.map": map, ...files });
}

/** A source map in sections, as Turbopack writes it. */
const SECTIONS = '{"version":3,"sources":[],"sections":[]}';

test.each([
  ["is no file's name", "error.js/proxy.cjs { server => 'x' }", { "error.js": "" }],
  ["has a map that is no JSON", "error.js", { "error.js": "", "error.js.map": "not JSON" }],
])("a source that %s is named as it is, and keeps nobody from building", async (what, source, files) => {
  const deployable = deployableOf(what, source, files);
  await keepSourceMaps(deployable, [{ deployed: deployable, maps: deployable }]);
  const maps = await readSourceMaps(deployable);
  expect(Object.keys(maps)).toEqual(["page.js"]);
  expect(maps["page.js"]?.sources[0]).toMatch(new RegExp(`${source.replace(/[.{}()]/g, "\\$&")}$`));
});

test("a source that is written as an address is decoded, also of maps that lie elsewhere", async () => {
  const maps = deployableOf("maps", "../app/%5Bslug%5D/page.tsx", {});
  const deployed = writeFiles(join(root, "deployed"), { "page.js": "export {};" });
  await keepSourceMaps(deployed, [{ deployed, maps }]);
  const [source = ""] = (await readSourceMaps(deployed))["page.js"]?.sources ?? [];
  expect(join(repositoryRoot, source ?? "")).toBe(join(root, "app/[slug]/page.tsx"));
});

test.each(["not JSON", SECTIONS])("a script whose own map is %s has none", async (own) => {
  const deployable = deployableOf("own map", "page.ts", { "page.js.map": own });
  await keepSourceMaps(deployable, [{ deployed: deployable, maps: deployable }]);
  expect(await readSourceMaps(deployable)).toEqual({});
});

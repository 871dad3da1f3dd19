import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { keepSourceMaps, readSourceMaps } from "./source-maps.ts";

const folder = testFolder();

test("maps are kept beside the deployable, and lead through two bundlers to the sources", async () => {
  const [source, between, deployable] = ["source", "between", "deployable"].map((name) => join(folder, name));
  if (source === undefined || between === undefined || deployable === undefined) {
    throw new Error("no folders");
  }
  await mkdir(source);
  await writeFile(join(source, "greet.js"), 'export function greet(name) {\n  return "hello " + name;\n}\n');
  await writeFile(
    join(source, "main.js"),
    'import { greet } from "./greet.js";\nconsole.log(greet("you"));\n',
  );
  const options = { bundle: true, format: "esm", sourcemap: "external", logLevel: "silent" } as const;
  await build({ ...options, entryPoints: [join(source, "main.js")], outfile: join(between, "main.js") });
  const deployed = join(deployable, "upload");
  await build({
    ...options,
    minify: true,
    entryPoints: [join(between, "main.js")],
    outfile: join(deployed, "main.js"),
  });
  const before = await readFile(join(deployed, "main.js"));

  await keepSourceMaps(deployable, [{ deployed, maps: deployed }]);

  const maps = await readSourceMaps(deployable);
  expect(Object.keys(maps)).toEqual(["upload/main.js"]);
  const { sources, sourcesContent } = maps["upload/main.js"] ?? { sources: [] };
  expect(sources.map((path) => join(repositoryRoot, path ?? "")).sort()).toEqual([
    join(source, "greet.js"),
    join(source, "main.js"),
  ]);
  expect(sourcesContent ?? []).toEqual([]);
  expect(await readFile(join(deployed, "main.js"))).toEqual(before);
});

test("sources that are written as addresses are decoded; a map in sections, and what is no path, are left out", async () => {
  const deployed = join(folder, "server");
  const maps = join(folder, "maps");
  await mkdir(deployed);
  await mkdir(maps);
  const map = {
    version: 3,
    names: [],
    mappings: "AAAA",
    sources: ["../app/%5Bslug%5D/page.tsx", "page.js.map/inner { a }"],
  };
  for (const [name, content] of Object.entries({
    page: map,
    runtime: { version: 3, sources: [], sections: [] },
  })) {
    await writeFile(join(deployed, `${name}.js`), "a();\n");
    await writeFile(join(maps, `${name}.js.map`), JSON.stringify(content));
  }
  await keepSourceMaps(deployed, [{ deployed, maps }]);
  const kept = await readSourceMaps(deployed);
  expect(Object.keys(kept)).toEqual(["page.js"]);
  const [source = ""] = kept["page.js"]?.sources ?? [];
  expect(join(repositoryRoot, source ?? "")).toBe(join(folder, "app/[slug]/page.tsx"));
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { keepSourceMaps, readSourceMaps } from "./source-maps.ts";

const folder = testFolder();

test("maps are kept beside the deployable, and lead through two bundlers to the sources", async () => {
  const source = writeFiles(join(folder, "source"), {
    "greet.js": 'export function greet(name) {\n  return "hello " + name;\n}\n',
    "main.js": 'import { greet } from "./greet.js";\nconsole.log(greet("you"));\n',
  });
  const between = join(folder, "between");
  const deployable = join(folder, "deployable");
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

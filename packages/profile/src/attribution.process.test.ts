import { join } from "node:path";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { TraceMap } from "@jridgewell/trace-mapping";
import { type BuildOptions, build } from "esbuild";
import { expect, test } from "vitest";
import { ownersIn, sourcePlaceIn } from "./attribution.ts";

const FILES = {
  "src/entry.js":
    'import { shout } from "loud";\nimport quiet from "quiet";\nexport const both = () => shout("here") + quiet("there");\n',
  "node_modules/loud/package.json": '{"name":"loud","main":"index.mjs"}',
  "node_modules/loud/index.mjs": "export function shout(text) { return text.toUpperCase() + 'LOUD_MARK'; }\n",
  "node_modules/quiet/package.json": '{"name":"quiet","main":"index.js"}',
  "node_modules/quiet/index.js":
    "module.exports = function quiet(text) { return text.trim() + 'QUIET_MARK'; };\n",
};

const folder = writeFiles(testFolder(), FILES);

function ownerAt(source: string, text: string, map: TraceMap | null = null): string | undefined {
  const offset = source.indexOf(text);
  const before = source.slice(0, offset).split("\n");
  expect(offset).toBeGreaterThan(0);
  const script = { path: "upload/out.js", source, map, mapFolder: folder };
  return ownersIn(script)(before.length - 1, before.at(-1)?.length ?? 0)?.name;
}

test.each<[string, BuildOptions, Record<string, string | undefined>]>([
  [
    "esbuild's comments tell the modules of a bundle that is not minified",
    {},
    { LOUD_MARK: "loud", QUIET_MARK: "quiet", here: "evenbench" },
  ],
  [
    "the paths of CommonJS modules survive minification",
    { minifyWhitespace: true, minifySyntax: true },
    { LOUD_MARK: undefined, QUIET_MARK: "quiet" },
  ],
  [
    "a source map tells what is left of a bundle that is minified",
    { minify: true, sourcemap: "external" },
    { toUpperCase: "loud", trim: "quiet" },
  ],
])("%s", async (_, options, owners) => {
  const at = { absWorkingDir: folder, entryPoints: ["src/entry.js"], outfile: join(folder, "out.js") };
  const { outputFiles } = await build({ ...at, bundle: true, format: "esm", write: false, ...options });
  const text = (name: string) => outputFiles?.find(({ path }) => path.endsWith(name))?.text;
  const map = text(".map");
  const found = Object.keys(owners).map((mark) => [
    mark,
    ownerAt(text("out.js") ?? "", mark, map === undefined ? null : new TraceMap(map)),
  ]);
  expect(Object.fromEntries(found)).toEqual(owners);
});

test("a function's place is that in its source where a map leads there, else that in what was built", async () => {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["src/entry.js"],
    outfile: join(folder, "built/out.js"),
    bundle: true,
    minify: true,
    format: "esm",
    sourcemap: "external",
    write: false,
  });
  const text = (name: string) => outputFiles.find(({ path }) => path.endsWith(name))?.text ?? "";
  const source = text("out.js");
  const path = "built/out.js";
  const script = { path, source, map: new TraceMap(text(".map")), mapFolder: join(folder, "built") };
  const offset = source.indexOf("here");
  const line = source.slice(0, offset).split("\n").length - 1;
  const column = offset - source.lastIndexOf("\n", offset) - 1;
  expect(sourcePlaceIn(script, line, column, folder)).toEqual({ file: "src/entry.js", line: 3 });
  expect(sourcePlaceIn({ ...script, map: null }, line, column, folder)).toEqual({
    file: path,
    line: line + 1,
  });
});

test("a module in a precompiled package is named relative to the package", () => {
  const source = `var m={"x/node_modules/next/dist/compiled/next-server/a.prod.js"(e,t){var n={"(react-server)/./dist/compiled/react-dom/cjs/b.js"(e){INNER()},"./dist/esm/lib/c.js":(e)=>{OTHER()}};OUTER()}};`;
  expect(["INNER", "OTHER", "OUTER"].map((mark) => ownerAt(source, mark))).toEqual([
    "react-dom",
    "next",
    "next",
  ]);
});

test.each([
  ["routes in an object", 'var routes={"packages/b":(request)=>HERE(),"packages/d.js":"text"};'],
  ["a text by a path", 'var texts={"packages/d.js":"HERE"};'],
  ["what cannot be parsed", 'var broken={"packages/b.js"(e){HERE()'],
])("%s are no modules", (_, source) => {
  expect(ownerAt(source, "HERE")).toBeUndefined();
});

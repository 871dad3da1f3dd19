import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { TraceMap } from "@jridgewell/trace-mapping";
import { type BuildOptions, build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { moduleMarks, ownersIn } from "./attribution.ts";

const FILES = {
  "src/entry.js":
    'import { shout } from "loud";\nimport quiet from "quiet";\nexport const both = () => shout("here") + quiet("there");\n',
  "node_modules/loud/package.json": '{"name":"loud","main":"index.mjs"}',
  "node_modules/loud/index.mjs": "export function shout(text) { return text.toUpperCase() + 'LOUD_MARK'; }\n",
  "node_modules/quiet/package.json": '{"name":"quiet","main":"index.js"}',
  "node_modules/quiet/index.js":
    "module.exports = function quiet(text) { return text.trim() + 'QUIET_MARK'; };\n",
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-marks-"));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
});
afterAll(() => rm(folder, { recursive: true }));

async function bundled(options: BuildOptions): Promise<{ source: string; map: TraceMap | null }> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["src/entry.js"],
    outfile: join(folder, "out.js"),
    bundle: true,
    format: "esm",
    write: false,
    ...options,
  });
  const text = (name: string) => outputFiles?.find(({ path }) => path.endsWith(name))?.text;
  const map = text(".map");
  return { source: text("out.js") ?? "", map: map === undefined ? null : new TraceMap(map) };
}

function ownerAt(source: string, map: TraceMap | null, text: string): string | undefined {
  const offset = source.indexOf(text);
  const before = source.slice(0, offset).split("\n");
  expect(offset).toBeGreaterThan(0);
  const script = { path: "upload/out.js", source, map };
  return ownersIn(script)(before.length - 1, before.at(-1)?.length ?? 0)?.name;
}

test("esbuild's comments tell the modules of a bundle that is not minified", async () => {
  const { source } = await bundled({});
  expect(moduleMarks(source).length).toBeGreaterThanOrEqual(3);
  expect(ownerAt(source, null, "LOUD_MARK")).toBe("loud");
  expect(ownerAt(source, null, "QUIET_MARK")).toBe("quiet");
  expect(ownerAt(source, null, "here")).toBe("evenbench");
});

test("the paths of CommonJS modules survive minification", async () => {
  const { source } = await bundled({ minifyWhitespace: true, minifySyntax: true });
  expect(ownerAt(source, null, "QUIET_MARK")).toBe("quiet");
  expect(ownerAt(source, null, "LOUD_MARK")).toBeUndefined();
});

test("a source map tells what is left of a bundle that is minified", async () => {
  const { source, map } = await bundled({ minify: true, sourcemap: "external" });
  expect(ownerAt(source, map, "toUpperCase")).toBe("loud");
  expect(ownerAt(source, map, "trim")).toBe("quiet");
});

test("a module in a precompiled package is named relative to the package", () => {
  const source = `var m={"x/node_modules/next/dist/compiled/next-server/a.prod.js"(e,t){var n={"(react-server)/./dist/compiled/react-dom/cjs/b.js"(e){INNER()},"./dist/esm/lib/c.js":(e)=>{OTHER()}};OUTER()}};`;
  expect(ownerAt(source, null, "INNER")).toBe("react-dom");
  expect(ownerAt(source, null, "OTHER")).toBe("next");
  expect(ownerAt(source, null, "OUTER")).toBe("next");
});

test("routes in an object are no modules, and what cannot be parsed has no marks", () => {
  expect(moduleMarks('var routes={"/a/b":(request)=>1,"/c/d.js":"text"};')).toEqual([]);
  expect(moduleMarks('var broken={"a/b.js"(e){')).toEqual([]);
});

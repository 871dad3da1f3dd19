import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Identity } from "@evenbench/core";
import { entriesBelow } from "@evenbench/host";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { buildArtifact, readLeftOut } from "./build-artifact.ts";
import type { Handler, HandlerOptions } from "./handler/identity.ts";
import { digestOfDirectory, filesOf, readManifest } from "./manifest.ts";
import { placeInSources } from "./place-in-sources.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Has both React and the contracts, which is all that the cases below import. */
const modules = join(root, "packages/cases/react-ssr/node_modules");

let scratch: string;
folderOfEachTest((folder) => {
  scratch = folder;
});

const goodCase = (handle: string, imports = "") => `import { defineCase } from "@evenbench/core";
${imports}
export default defineCase({ title: "T", description: "D", parameters: {}, golden: null,
  handle: ${handle} });
`;
const fine = goodCase("() => new Response('fine')");

/** Writes case folders and returns what `buildArtifact` needs to build them. */
async function scratchCases(sources: Record<string, string>) {
  const casesDirectory = join(scratch, "cases");
  for (const [id, source] of Object.entries(sources)) {
    await mkdir(join(casesDirectory, id), { recursive: true });
    await writeFile(join(casesDirectory, id, "case.ts"), source);
  }
  await symlink(modules, join(casesDirectory, "node_modules"));
  return { casesDirectory, outDirectory: join(scratch, "dist") };
}

async function load(artifact: string): Promise<Handler> {
  const { createHandler } = await import(pathToFileURL(join(artifact, "index.mjs")).href);
  const options: HandlerOptions = { platform: "node", nodeEnv: "production", facts: () => ({}) };
  return createHandler(options);
}
const get = async (handler: Handler, path: string) => handler(new Request(`http://localhost${path}`));
const pinsOf = async (handler: Handler) =>
  ((await (await get(handler, "/identity")).json()) as Identity).pins;

test("the built handler serves the case, and its digest names the files wherever they lie", async () => {
  const { artifact, manifest } = await buildArtifact(await scratchCases({ "some-case": fine }));
  expect(await filesOf(artifact)).toEqual(["cases/some-case.mjs", "digest.mjs", "index.mjs"]);
  expect(await readManifest(join(scratch, "dist"))).toEqual(manifest);

  const handler = await load(artifact);
  expect(await (await get(handler, "/some-case")).text()).toBe("fine");
  expect(await pinsOf(handler)).toEqual({
    "nodeEnv.artifact": "production",
    "nodeEnv.runtime": "production",
    artifact: manifest.digest,
  });

  await cp(artifact, join(scratch, "copy"), { recursive: true });
  expect(await digestOfDirectory(join(scratch, "copy"))).toBe(manifest.digest);
  await writeFile(join(scratch, "copy/cases/some-case.mjs"), "");
  expect(await digestOfDirectory(join(scratch, "copy"))).not.toBe(manifest.digest);
});

test("a place in a built module is found in the case's source, whatever was bundled before it", async () => {
  const handle = "() => {\n    throw new RangeError('planned');\n  }";
  const imports = 'import { cpus } from "node:os";\nexport const cores = cpus;';
  const options = await scratchCases({ "some-case": goodCase(handle, imports) });
  const { artifact } = await buildArtifact(options);
  const built = (await readFile(join(artifact, "cases/some-case.mjs"), "utf8")).split("\n");
  const line = built.findIndex((text) => text.includes('new RangeError("planned")')) + 1;
  const column = (built[line - 1] ?? "").indexOf("new RangeError") + 1;
  const { casesDirectory } = options;
  expect(await placeInSources("some-case", line, column, casesDirectory)).toMatch(/some-case\/case\.ts:6$/);
  expect(await placeInSources("some-case", 1e6, 1, casesDirectory)).toBeNull();
  expect(await placeInSources("no-case", line, column, casesDirectory)).toBeNull();
});

/** Cases that cannot be built: a folder's name, its source, and the reason that is reported. */
const BROKEN: readonly (readonly [id: string, source: string, reason: RegExp])[] = [
  ["Bad_Name", fine, /"Bad_Name" is not lower-case words/],
  ["identity", fine, /"identity" is taken by the handler/],
  ["next-page", fine, /those of the app in apps\/next, .* there twice/],
  ["no-default", "export const a = 1;", /no default export made by defineCase/],
  [
    "other-shape",
    "export default { title: 'T', golden: null, handle() {} };",
    /its "description" is wrong: /,
  ],
  ["bad-syntax", "export default {\n  handle( => 1\n};", /Expected .*bad-syntax\/case\.ts:2/],
  ["ends-process", "process.exit(7);", /top level ended the process .*exit code 7/],
  [
    "no-parameters",
    "export default { title: 'T', description: 'D', parameters: 3, golden: null, handle() {} };",
    /its "parameters" is wrong: /,
  ],
  ["throws", "throw new Error('top\\nlevel');", /top level threw: Error: top level/],
  ["lacks-package", "import 'no-such-package';", /imports "no-such-package".*package\.json/],
  [
    "excludes-default",
    fine.replace("{}", `{ n: { type: "integer", default: 0, minimum: 1, maximum: 2, description: "" } }`),
    /"n".* must be an integer from 1 to 2/,
  ],
];

test("each case that cannot be built is reported in one line with its path, and the others are built", async () => {
  const sources = Object.fromEntries(BROKEN.map(([id, source]) => [id, source]));
  const { artifact, failures, manifest } = await buildArtifact(
    await scratchCases({ ...sources, good: fine }),
  );
  const reported = BROKEN.map(([id, _, reason]) => ({
    path: join(scratch, "cases", id, "case.ts"),
    reason: expect.stringMatching(reason),
  }));
  expect(failures).toHaveLength(reported.length);
  expect(failures).toEqual(expect.arrayContaining(reported));
  expect(failures.filter(({ reason }) => reason.includes("\n"))).toEqual([]);
  expect(await readLeftOut(join(scratch, "dist"))).toEqual(failures);
  expect(manifest.cases.map(({ id }) => id)).toEqual(["good"]);
  expect(await readdir(join(artifact, "cases"))).toEqual(["good.mjs"]);
  expect((await get(await load(artifact), "/good")).status).toBe(200);
});

test("a case need not say that it has no parameters", async () => {
  const { artifact, failures, manifest } = await buildArtifact(
    await scratchCases({ bare: fine.replace("parameters: {}, ", "") }),
  );
  expect(failures).toEqual([]);
  expect(manifest.cases.map(({ parameters }) => parameters)).toEqual([{}]);
  expect((await get(await load(artifact), "/bare")).status).toBe(200);
});

test("JSX calls what the tsconfig.json beside the case names", async () => {
  const options = await scratchCases({ own: `export { default } from "./view.tsx";` });
  const folder = join(options.casesDirectory, "own");
  const runtime = join(folder, "node_modules/own-jsx");
  await mkdir(runtime, { recursive: true });
  await writeFile(join(runtime, "package.json"), '{"exports":{"./jsx-runtime":"./jsx.js"}}');
  await writeFile(join(runtime, "jsx.js"), 'export const jsx = (name) => "own " + name;');
  await writeFile(join(folder, "view.tsx"), goodCase("() => new Response(String(<b />))"));
  await writeFile(join(folder, "tsconfig.json"), '{"compilerOptions":{"jsxImportSource":"own-jsx"}}');
  const { artifact, failures } = await buildArtifact(options);
  expect(failures).toEqual([]);
  expect(await (await get(await load(artifact), "/own")).text()).toBe("own b");
});

test("all that is built can be read by other users, who may serve it", async () => {
  const { outDirectory, ...options } = await scratchCases({ good: fine, broken: "throw 1;" });
  await buildArtifact({ ...options, outDirectory });
  const entries = await entriesBelow(outDirectory);
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    expect(`${entry.name} ${(mode & 0o777).toString(8)}`).toBe(
      `${entry.name} ${entry.isDirectory() ? "755" : "644"}`,
    );
  }
  expect(entries.map(({ name }) => name).sort()).toEqual(
    ["artifact", "cases", "digest.mjs", "good.mjs", "index.mjs", "left-out.json", "manifest.json"].sort(),
  );
});

test("React is the build that NODE_ENV asks for, and without one the identity says so", async () => {
  const react = goodCase(
    "() => new Response(typeof React.act + renderToString(createElement('b')))",
    `import * as React from "react"; import { createElement } from "react"; import { renderToString } from "react-dom/server.edge";`,
  );
  const options = await scratchCases({ react });
  const built = async (nodeEnv: string | null) => {
    const outDirectory = join(scratch, String(nodeEnv));
    const handler = await load((await buildArtifact({ ...options, outDirectory, nodeEnv })).artifact);
    return [(await pinsOf(handler))["nodeEnv.artifact"], await (await get(handler, "/react")).text()];
  };
  expect(await built("production")).toEqual(["production", "undefined<b></b>"]);
  expect(await built("development")).toEqual(["development", "function<b></b>"]);
  // The test's own process has NODE_ENV "test", which to React is not production.
  expect(await built(null)).toEqual(["undefined", "function<b></b>"]);
});

test("Node.js modules stay outside, under their node: name, imported or required by a CommonJS package", async () => {
  const options = await scratchCases({
    streams: goodCase(
      "() => new Response([typeof Readable.toWeb, typeof required.pipeline, required.emitter.defaultMaxListeners].join())",
      `import { Readable } from "stream"; import required from "./required.cjs";`,
    ),
  });
  await writeFile(
    join(options.casesDirectory, "streams/required.cjs"),
    `const EventEmitter = require("events");
     module.exports = { pipeline: require("node:stream").pipeline, emitter: EventEmitter };`,
  );
  const { artifact, failures } = await buildArtifact(options);
  expect(failures).toEqual([]);
  expect(await (await get(await load(artifact), "/streams")).text()).toBe("function,function,10");
  const source = await readFile(join(artifact, "cases/streams.mjs"), "utf8");
  expect(source.match(/from ["'].*["']/g)).toEqual(
    expect.arrayContaining(['from "node:events"', 'from "node:stream"']),
  );
  expect(source).not.toMatch(/from ["'](?!node:)/);
});

test("a case that imports text and JSON sends the same from the artifact and under plain Node.js", async () => {
  const imports = [
    `import text from "./a.txt"; import numbers from "./b.json" with { type: "json" };`,
    ...["csv", "html", "md", "svg"].map((ending) => `import ${ending} from "./a.${ending}";`),
  ].join("\n");
  const options = await scratchCases({
    data: goodCase("() => new Response(numbers.length + text + csv + html + md + svg)", imports),
  });
  const folder = join(options.casesDirectory, "data");
  await writeFile(join(folder, "a.txt"), '\ufeffTwo "lines"\r\nwith `ticks` and \\backslashes\\; a café\n');
  await writeFile(join(folder, "b.json"), "[1, 2, 39]");
  const others = { csv: "a,b\n", html: "<p>\n", md: "# Title\n", svg: "<svg/>\n" };
  for (const [ending, content] of Object.entries(others)) {
    await writeFile(join(folder, `a.${ending}`), content);
  }
  const expected = `3Two "lines"\r\nwith \`ticks\` and \\backslashes\\; a café\n${Object.values(others).join("")}`;
  const { artifact } = await buildArtifact(options);
  expect(await (await get(await load(artifact), "/data")).text()).toBe(expected);

  // As tools load apps.
  const source = `import "@evenbench/host";
    const { default: definition } = await import(${JSON.stringify(pathToFileURL(join(folder, "case.ts")).href)});
    process.stdout.write(await definition.handle().text());`;
  const args = ["--input-type=module", "-e", source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  expect(stdout).toBe(expected);
});

test("the repository's own cases build to the same bytes in another checkout, without a path of this machine", async () => {
  const here = await buildArtifact({ outDirectory: join(scratch, "here") });
  expect(here.failures).toEqual([]);
  const [path = "", line = ""] =
    here.manifest.cases.find(({ id }) => id === "trig")?.source?.split("#L") ?? [];
  const lines = (await readFile(join(root, path), "utf8")).split("\n");
  expect(lines[Number(line) - 1]).toMatch(/^ {2}handle\(/);

  const checkout = join(scratch, "deeper/down/another checkout");
  await copyCheckout(checkout);
  await promisify(execFile)(process.execPath, [join(checkout, "packages/bundle/src/build-artifact.ts")], {
    cwd: scratch,
  });
  expect(await readManifest(join(checkout, "packages/bundle/dist"))).toEqual(here.manifest);

  for (const file of await filesOf(here.artifact)) {
    const content = await readFile(join(here.artifact, file), "utf8");
    for (const place of [root, scratch, dirname(root)]) {
      expect(content).not.toContain(`${place}/`);
    }
  }
});

/** A copy as a clone and an install would make it: pnpm's own links are relative, so they lead into the copy. */
async function copyCheckout(to: string): Promise<void> {
  const store = await readdir(join(root, "node_modules/.pnpm"));
  const needed = store.filter((name) =>
    /^(react|react-dom|scheduler|zod|esbuild|@esbuild\+.*|pidusage|safe-buffer)@/.test(name),
  );
  for (const path of [
    ...["bundle", "cases", "core", "host"].map((name) => `packages/${name}`),
    ...needed.map((name) => `node_modules/.pnpm/${name}`),
    "tsconfig.json",
    "package.json",
  ]) {
    await cp(join(root, path), join(to, path), { recursive: true, verbatimSymlinks: true });
  }
}

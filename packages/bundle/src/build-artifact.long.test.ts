import { execFile } from "node:child_process";
import { cp, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Identity } from "@evenbench/core";
import { entriesBelow, repositoryRoot } from "@evenbench/host";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { beforeAll, expect, test } from "vitest";
import { buildArtifact, readLeftOut } from "./build-artifact.ts";
import type { Handler, HandlerOptions } from "./handler/identity.ts";
import { digestOfDirectory, filesOf, readManifest } from "./manifest.ts";
import { placeInSources } from "./place-in-sources.ts";

/** Has both React and the contracts, which is all that the cases below import. */
const modules = join(repositoryRoot, "packages/cases/react-ssr/node_modules");

const root = testFolder();

const goodCase = (handle: string, imports = "") => `import { defineCase } from "@evenbench/core";
${imports}
export default defineCase({ title: "T", description: "D", parameters: {}, golden: null,
  handle: ${handle} });
`;
const fine = goodCase("() => new Response('fine')");

/** Writes the files of cases, by paths from their common folder on. @returns what `buildArtifact` needs to build them. */
async function scratchCases(name: string, files: Readonly<Record<string, string>>) {
  const casesDirectory = writeFiles(join(root, name, "cases"), files);
  await symlink(modules, join(casesDirectory, "node_modules"));
  return { casesDirectory, outDirectory: join(root, name, "dist") };
}

async function load(artifact: string): Promise<Handler> {
  const { createHandler } = await import(pathToFileURL(join(artifact, "index.mjs")).href);
  const options: HandlerOptions = { platform: "node", nodeEnv: "production", facts: () => ({}) };
  return createHandler(options);
}
const get = async (handler: Handler, path: string) => handler(new Request(`http://localhost${path}`));
const pinsOf = async (handler: Handler) =>
  ((await (await get(handler, "/identity")).json()) as Identity).pins;

/** Files that the case "data" sends one after the other, behind the number of entries of b.json. */
const DATA = {
  "a.txt": '\ufeffTwo "lines"\r\nwith `ticks` and \\backslashes\\; a café\n',
  "a.csv": "a,b\n",
  "a.html": "<p>\n",
  "a.md": "# Title\n",
  "a.svg": "<svg/>\n",
};
const dataSent = `3${Object.values(DATA).join("").replace("\ufeff", "")}`;

/** Cases that are built: a folder's name, its files, and what the case sends. */
const GOOD: readonly (readonly [id: string, files: Readonly<Record<string, string>>, sends: string])[] = [
  ["bare", { "case.ts": fine.replace("parameters: {}, ", "") }, "fine"],
  [
    "data",
    {
      "case.ts": goodCase(
        "() => new Response(numbers.length + txt + csv + html + md + svg)",
        [
          `import numbers from "./b.json" with { type: "json" };`,
          ...["txt", "csv", "html", "md", "svg"].map((ending) => `import ${ending} from "./a.${ending}";`),
        ].join("\n"),
      ),
      "b.json": "[1, 2, 39]",
      ...DATA,
    },
    dataSent,
  ],
  [
    "own",
    {
      "case.ts": `export { default } from "./view.tsx";`,
      "view.tsx": goodCase("() => new Response(String(<b />))"),
      "tsconfig.json": '{"compilerOptions":{"jsxImportSource":"own-jsx"}}',
      "node_modules/own-jsx/package.json": '{"exports":{"./jsx-runtime":"./jsx.js"}}',
      "node_modules/own-jsx/jsx.js": 'export const jsx = (name) => "own " + name;',
    },
    "own b",
  ],
  ["some-case", { "case.ts": fine }, "fine"],
  [
    "streams",
    {
      "case.ts": goodCase(
        "() => new Response([typeof Readable.toWeb, typeof required.pipeline, required.emitter.defaultMaxListeners].join())",
        `import { Readable } from "stream"; import required from "./required.cjs";`,
      ),
      "required.cjs": `const EventEmitter = require("events");
module.exports = { pipeline: require("node:stream").pipeline, emitter: EventEmitter };`,
    },
    "function,function,10",
  ],
];
/** A case that throws in its sixth line. */
const THROWING = goodCase(
  "() => {\n    throw new RangeError('planned');\n  }",
  'import { cpus } from "node:os";\nexport const cores = cpus;',
);
const BUILT = [...GOOD.map(([id]) => id), "throwing"];

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

const filesOfAll = [
  ...GOOD.flatMap(([id, files]) => Object.entries(files).map(([path, text]) => [`${id}/${path}`, text])),
  ...[...BROKEN, ["throwing", THROWING]].map(([id, source]) => [`${id}/case.ts`, source]),
];
let casesDirectory: string;
let outDirectory: string;
let built: Awaited<ReturnType<typeof buildArtifact>>;
beforeAll(async () => {
  ({ casesDirectory, outDirectory } = await scratchCases("all", Object.fromEntries(filesOfAll)));
  built = await buildArtifact({ casesDirectory, outDirectory });
});

test("the manifest has the cases that were built, and the digest names the files wherever they lie", async () => {
  const { artifact, manifest } = built;
  const modulesOfCases = BUILT.map((id) => `cases/${id}.mjs`);
  expect(await filesOf(artifact)).toEqual([...modulesOfCases, "digest.mjs", "index.mjs"]);
  expect(await readManifest(outDirectory)).toEqual(manifest);
  expect(manifest.cases.map(({ id, parameters }) => [id, parameters])).toEqual(BUILT.map((id) => [id, {}]));
  expect(await pinsOf(await load(artifact))).toEqual({
    "nodeEnv.artifact": "production",
    "nodeEnv.runtime": "production",
    artifact: manifest.digest,
  });
  const copy = join(root, "copy");
  await cp(artifact, copy, { recursive: true });
  expect(await digestOfDirectory(copy)).toBe(manifest.digest);
  await writeFile(join(copy, "cases/some-case.mjs"), "");
  expect(await digestOfDirectory(copy)).not.toBe(manifest.digest);
});

test.each(GOOD)("the case %s is served", async (id, _files, sends) => {
  expect(await (await get(await load(built.artifact), `/${id}`)).text()).toBe(sends);
});

test("a place in a built module is found in the case's source, whatever was bundled before it", async () => {
  const text = (await readFile(join(built.artifact, "cases/throwing.mjs"), "utf8")).split("\n");
  const line = text.findIndex((each) => each.includes('new RangeError("planned")')) + 1;
  const column = (text[line - 1] ?? "").indexOf("new RangeError") + 1;
  expect(await placeInSources("throwing", line, column, casesDirectory)).toMatch(/throwing\/case\.ts:6$/);
  expect(await placeInSources("throwing", 1e6, 1, casesDirectory)).toBeNull();
  expect(await placeInSources("no-case", line, column, casesDirectory)).toBeNull();
});

test("each case that cannot be built is reported in one line with its path", async () => {
  const reported = BROKEN.map(([id, _, reason]) => ({
    path: join(casesDirectory, id, "case.ts"),
    reason: expect.stringMatching(reason),
  }));
  expect(built.failures).toHaveLength(reported.length);
  expect(built.failures).toEqual(expect.arrayContaining(reported));
  expect(built.failures.filter(({ reason }) => reason.includes("\n"))).toEqual([]);
  expect(await readLeftOut(outDirectory)).toEqual(built.failures);
});

test("all that is built can be read by other users, who may serve it", async () => {
  for (const entry of await entriesBelow(outDirectory)) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    expect(`${entry.name} ${(mode & 0o777).toString(8)}`).toBe(
      `${entry.name} ${entry.isDirectory() ? "755" : "644"}`,
    );
  }
});

test("React is the build that NODE_ENV asks for, and without one the identity says so", async () => {
  const react = goodCase(
    "() => new Response(typeof React.act + renderToString(createElement('b')))",
    `import * as React from "react"; import { createElement } from "react"; import { renderToString } from "react-dom/server.edge";`,
  );
  const options = await scratchCases("react", { "react/case.ts": react });
  const builtFor = async (nodeEnv: string | null) => {
    const outOf = join(root, "react", String(nodeEnv));
    const handler = await load((await buildArtifact({ ...options, outDirectory: outOf, nodeEnv })).artifact);
    return [(await pinsOf(handler))["nodeEnv.artifact"], await (await get(handler, "/react")).text()];
  };
  expect(await builtFor("production")).toEqual(["production", "undefined<b></b>"]);
  expect(await builtFor("development")).toEqual(["development", "function<b></b>"]);
  // The test's own process has NODE_ENV "test", which to React is not production.
  expect(await builtFor(null)).toEqual(["undefined", "function<b></b>"]);
});

test("Node.js modules stay outside, under their node: name, imported or required by a CommonJS package", async () => {
  const source = await readFile(join(built.artifact, "cases/streams.mjs"), "utf8");
  expect(source.match(/from ["'].*["']/g)).toEqual(
    expect.arrayContaining(['from "node:events"', 'from "node:stream"']),
  );
  expect(source).not.toMatch(/from ["'](?!node:)/);
});

test("a case that imports text and JSON sends the same under plain Node.js, as tools load apps", async () => {
  const source = `import "@evenbench/host";
    const { default: definition } = await import(${JSON.stringify(pathToFileURL(join(casesDirectory, "data/case.ts")).href)});
    process.stdout.write(await definition.handle().text());`;
  const args = ["--input-type=module", "-e", source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  expect(stdout).toBe(dataSent);
});

test("the repository's own cases build to the same bytes in another checkout, without a path of this machine", async () => {
  const here = await buildArtifact({ outDirectory: join(root, "here") });
  expect(here.failures).toEqual([]);
  const [path = "", line = ""] =
    here.manifest.cases.find(({ id }) => id === "trig")?.source?.split("#L") ?? [];
  const lines = (await readFile(join(repositoryRoot, path), "utf8")).split("\n");
  expect(lines[Number(line) - 1]).toMatch(/^ {2}handle\(/);

  const checkout = join(root, "deeper/down/another checkout");
  await copyCheckout(checkout);
  await promisify(execFile)(process.execPath, [join(checkout, "packages/bundle/src/build-artifact.ts")], {
    cwd: root,
  });
  expect(await readManifest(join(checkout, "packages/bundle/dist"))).toEqual(here.manifest);

  for (const file of await filesOf(here.artifact)) {
    const content = await readFile(join(here.artifact, file), "utf8");
    for (const place of [repositoryRoot, root, dirname(repositoryRoot)]) {
      expect(content).not.toContain(`${place}/`);
    }
  }
});

/** A copy as a clone and an install would make it: pnpm's own links are relative, so they lead into the copy. */
async function copyCheckout(to: string): Promise<void> {
  const store = await readdir(join(repositoryRoot, "node_modules/.pnpm"));
  const needed = store.filter((name) =>
    /^(react|react-dom|scheduler|zod|esbuild|@esbuild\+.*|pidusage|safe-buffer)@/.test(name),
  );
  for (const path of [
    ...["bundle", "cases", "core", "host"].map((name) => `packages/${name}`),
    ...needed.map((name) => `node_modules/.pnpm/${name}`),
    "tsconfig.json",
    "package.json",
  ]) {
    await cp(join(repositoryRoot, path), join(to, path), { recursive: true, verbatimSymlinks: true });
  }
}

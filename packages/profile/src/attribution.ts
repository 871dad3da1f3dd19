import { readFile, realpath, stat } from "node:fs/promises";
import type { Profiler, Runtime } from "node:inspector";
import { isBuiltin } from "node:module";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readSourceMaps, type SourceMaps } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";
import type { Owner } from "@evenbench/results";
import type { LocalTarget } from "@evenbench/runner";
import { FlattenMap, originalPositionFor, type TraceMap } from "@jridgewell/trace-mapping";
import { type AnyNode, type Node, type Property, parse } from "acorn";

const UNATTRIBUTED: Owner = { kind: "unattributed", name: "unattributed" };
const BUNDLER: Owner = { kind: "package", name: "bundler's helpers" };
const CASE: Owner = { kind: "case", name: "the case" };
const HARNESS: Owner = { kind: "harness", name: "evenbench" };

export async function attribute(
  { nodes }: Profiler.Profile,
  { deployable, app, platform, ownServer }: LocalTarget,
  runtimeFact: string | null | undefined,
): Promise<(frame: Runtime.CallFrame) => Owner> {
  const runtime = /^\S+/.exec(runtimeFact ?? "")?.[0] ?? "runtime";
  const root = await realpath(deployable);
  const maps = ownServer === undefined ? await readSourceMaps(deployable) : null;
  const ownerOfFile = ownServer === undefined ? ownerOfPath : ownerInProject;
  const urls = new Set(nodes.map(({ callFrame }) => callFrame.url));
  const scripts = new Map<string, ReturnType<typeof ownersIn>>();
  for (const url of urls) {
    const script = ownerOfRuntime(url, runtime) === null ? await readScript(url, root, maps) : null;
    if (script !== null) {
      scripts.set(url, ownersIn(script, ownerOfFile));
    }
  }
  return ({ url, lineNumber, columnNumber }) => {
    const owner =
      ownerOfRuntime(url, runtime) ?? scripts.get(url)?.(lineNumber, columnNumber) ?? UNATTRIBUTED;
    const isAdapter = [app, platform].some(({ adapters }) => adapters?.test(owner.name));
    return owner.kind === "package" && isAdapter ? { ...owner, kind: "adapter" } : owner;
  };
}

interface Script {
  readonly path: string;
  readonly source: string;
  readonly map: TraceMap | null;
}

/** @param maps null where a map lies beside its script. */
async function readScript(url: string, root: string, maps: SourceMaps | null): Promise<Script | null> {
  for (const file of filesOf(url, root)) {
    const source = await readText(file);
    if (source === null) {
      continue;
    }
    const inside = within(root, file);
    const path = (inside ?? within(repositoryRoot, file) ?? file).split(sep).join("/");
    const map = maps === null ? await readText(`${file}.map`) : inside === null ? null : maps[path];
    return { path, source, map: map == null ? null : new FlattenMap(map) };
  }
  return null;
}

/** workerd names modules as they were uploaded. */
function filesOf(url: string, root: string): readonly string[] {
  if (url.startsWith("file:")) {
    return [fileURLToPath(url)];
  }
  if (isAbsolute(url)) {
    return [url];
  }
  return [join(root, "upload", url), join(root, url)];
}

function within(folder: string, file: string): string | null {
  const path = relative(folder, file);
  return path.startsWith("..") || isAbsolute(path) ? null : path;
}

/** A script can name any file as its source: a pipe or a device would never end. */
async function readText(file: string): Promise<string | null> {
  const isRegular = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  return isRegular ? readFile(file, "utf8").catch(() => null) : null;
}

/**
 * By the source map, then by the marks that bundlers leave, from the inside out, then by the file's own path. Lines and
 * columns are from 0; null where none of them says it.
 */
export function ownersIn({ path, source, map }: Script, ownerOf = ownerOfPath) {
  const starts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  // Parsing a bundle of megabytes takes a second.
  let marks: ReturnType<typeof moduleMarks> | null = null;
  return (line: number, column: number): Owner | null => {
    const original = map === null ? null : originalPositionFor(map, { line: line + 1, column }).source;
    const mapped = original === null ? null : ownerOf(original);
    if (mapped !== null) {
      return mapped;
    }
    marks ??= moduleMarks(source);
    const offset = (starts[line] ?? 0) + column;
    const paths = [path];
    for (const mark of marks.filter(({ start, end }) => start <= offset && offset < end)) {
      paths.unshift(resolveInPackage(mark.path, paths[0] ?? path));
    }
    const owner = paths.map(ownerOf).find((found) => found !== null);
    // What no source file stands behind, a bundler has put in, such as esbuild's __name().
    return owner ?? (map !== null && original === null ? BUNDLER : null);
  };
}

function resolveInPackage(inner: string, outer: string): string {
  const plain = inner.replace(/^\([^)]*\)\//, "");
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(outer)?.[0];
  return plain.startsWith("./") && folder !== undefined ? folder + plain.slice(2) : plain;
}

/** esbuild's comment above each module, and rolldown's. Minified bundles have none. */
const COMMENT = /^[ \t]*\/\/(?:#region)? (\S*\/\S*\.(?:[cm]?[jt]sx?|svelte|json))$/gm;

const KEY = /["'][^"'\n]*\/[^"'\n]*\.[cm]?[jt]sx?["']\s*(?:\(|:)/;
const KEY_PATH = /\/.*\.[cm]?[jt]sx?$/;

/** Comments of bundlers, and objects of CommonJS modules by their paths, which survive minification. */
function moduleMarks(source: string) {
  const comments = [...source.matchAll(COMMENT)];
  const commented = comments.map(({ index: start, 1: path = "" }, at) => {
    return { path, start, end: comments[at + 1]?.index ?? source.length };
  });
  const keyed = KEY.test(source) ? keyedModules(source) : [];
  return [...commented, ...keyed].sort((a, b) => a.start - b.start || b.end - a.end);
}

function keyedModules(source: string) {
  const marks: { path: string; start: number; end: number }[] = [];
  const left: unknown[] = [parsed(source)];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) {
      continue;
    }
    const { type, start, end } = value as AnyNode;
    const path = type === "Property" ? pathOfModule(value as Property) : null;
    if (path !== null) {
      marks.push({ path, start, end });
    }
    for (const child of Object.values(value)) {
      if (typeof child === "object") {
        left.push(child);
      }
    }
  }
  return marks;
}

/** As a script, which may do all that a module may: a bundle does not say which one it is. */
function parsed(source: string): Node | null {
  const anywhere = { allowImportExportEverywhere: true, allowAwaitOutsideFunction: true };
  const alone = { allowHashBang: true, allowReturnOutsideFunction: true };
  try {
    return parse(source, { ecmaVersion: "latest", sourceType: "script", ...anywhere, ...alone });
  } catch {
    return null;
  }
}

function pathOfModule({ key, value }: Property): string | null {
  const isFunction = value.type === "FunctionExpression" || value.type === "ArrowFunctionExpression";
  const path = isFunction && key.type === "Literal" ? String(key.value) : "";
  return KEY_PATH.test(path) ? path : null;
}

/** What is installed nowhere, by what frameworks and bundlers make of it; null where a path does not tell. */
const OWNERS: readonly (readonly [path: RegExp, owner: Owner | null])[] = [
  // What OpenNext generates and puts beside its handler.mjs, which is a bundle of everything.
  [/\.open-next\/(?!.*\.next\/server\/)(?:.*\/)?handler\.mjs$/, null],
  [/\.open-next\/(?!.*\.next\/server\/)/, ownerOfPackage("@opennextjs/cloudflare")],
  // Turbopack names its chunks after what is in them: "0c8l_next_dist_client_components_…".
  [/\.next\/server\/(?:.*\/)?(?:\[turbopack\]_runtime|[^/]*_next_dist_)[^/]*$/, ownerOfPackage("next")],
  [/\.next\/server\/(?:.*\/)?(?:packages_cases|apps_next_app)_[^/]*$/, CASE],
  [/\.next\/server\/(?:.*\/)?packages_[^/]*$/, HARNESS],
  [/\.next\/server\//, null],
  // SvelteKit names what it makes of a route's files after them.
  [/(?:^|\/)entries\/(?:pages|endpoints)\//, CASE],
  [/(?:^|\/)\.svelte-kit\/adapter-node\//, ownerOfPackage("@sveltejs/adapter-node")],
  [/(?:^|\/)\.svelte-kit\/vercel-tmp\//, ownerOfPackage("@sveltejs/adapter-vercel")],
  [/(?:^|\/)\.svelte-kit\/cloudflare\//, ownerOfPackage("@sveltejs/adapter-cloudflare")],
  // Handler cases, the pages they share, and the pages of apps, wherever their framework looks for them.
  [/^packages\/cases\//, CASE],
  [/^apps\/[^/]+\/(?:app|src\/(?:components|pages|routes))\//, CASE],
  [/^(?:packages|apps|src)\//, HARNESS],
];

export function ownerOfPath(path: string): Owner | null {
  const plain = path.replace(/^(\.\.?\/)+/, "");
  const installed = packageOf(plain);
  if (installed !== null) {
    return ownerOfPackage(installed);
  }
  return OWNERS.find(([known]) => known.test(plain))?.[1] ?? null;
}

function ownerInProject(path: string): Owner {
  const installed = packageOf(path);
  return installed === null ? { kind: "case", name: "your code" } : ownerOfPackage(installed);
}

/** "node:internal/timers", "node-internal:internal_buffer", "ext:core/01_core.js". */
export function ownerOfRuntime(url: string, runtime: string): Owner | null {
  if (url === "") {
    return { kind: "runtime", name: `${runtime} built-in functions` };
  }
  const isOwn = /^(?!file:|data:|wasm:)[a-z-]{2,}:/.test(url) || isBuiltin(url);
  return isOwn ? { kind: "runtime", name: `${runtime} internals` } : null;
}

function ownerOfPackage(name: string): Owner {
  return { kind: "package", name };
}

/** In the last node_modules of a path. What Next.js carries along precompiled counts as what it is. */
function packageOf(path: string): string | null {
  const inside = path.split("node_modules/").at(-1);
  if (inside === undefined || inside === path) {
    return null;
  }
  const name = /^(@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? null;
  if (name !== "next") {
    return name;
  }
  const compiled = /^next\/dist\/compiled\/((?:@[^/]+\/)?[^/]+)\//.exec(inside)?.[1];
  return compiled === undefined || compiled === "next-server" ? name : compiled;
}

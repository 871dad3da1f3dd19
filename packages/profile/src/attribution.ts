import { readFile, realpath } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readSourceMaps, type SourceMaps } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";
import type { Owner } from "@evenbench/results";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { type Node, type Options, parse } from "acorn";
import type { CallFrame, CpuProfile } from "./inspector.ts";

export interface Attributed {
  readonly deployable: string;
  readonly runtime: string;
  readonly adapters: readonly RegExp[];
  readonly isOwn: boolean;
}

export interface Attribution {
  ownerOf(frame: CallFrame): Owner;
  fileOf(url: string): string;
}

const UNATTRIBUTED: Owner = { kind: "unattributed", name: "unattributed" };

export async function attribute(
  profile: CpuProfile,
  { deployable, runtime, adapters, isOwn }: Attributed,
): Promise<Attribution> {
  const scripts = new Map<string, { path: string; ownerAt: OwnerAt }>();
  const root = await realpath(deployable);
  const maps = isOwn ? null : await readSourceMaps(deployable);
  const ownerOf = isOwn ? ownerInProject : ownerOfPath;
  for (const url of new Set(profile.nodes.map(({ callFrame }) => callFrame.url))) {
    if (ownerOfRuntime(url, runtime) !== null) continue;
    const script = await readScript(url, root, maps);
    if (script !== null) scripts.set(url, { path: script.path, ownerAt: ownersIn(script, ownerOf) });
  }
  return {
    ownerOf({ url, lineNumber, columnNumber }) {
      const owner =
        ownerOfRuntime(url, runtime) ?? scripts.get(url)?.ownerAt(lineNumber, columnNumber) ?? UNATTRIBUTED;
      const isAdapter = owner.kind === "package" && adapters.some((pattern) => pattern.test(owner.name));
      return isAdapter ? { ...owner, kind: "adapter" } : owner;
    },
    fileOf: (url) => scripts.get(url)?.path ?? url,
  };
}

export interface Script {
  readonly path: string;
  readonly source: string;
  readonly map: TraceMap | null;
}

/** @param maps null where a map lies beside its script. */
async function readScript(url: string, root: string, maps: SourceMaps | null): Promise<Script | null> {
  for (const file of filesOf(url, root)) {
    const source = await readText(file);
    if (source === null) continue;
    const inside = within(root, file);
    const path = (inside ?? within(repositoryRoot, file) ?? file).split(sep).join("/");
    const map = maps === null ? await readText(`${file}.map`) : inside === null ? null : maps[path];
    return { path, source, map: map == null ? null : new TraceMap(map) };
  }
  return null;
}

/** workerd names modules as they were uploaded. */
function filesOf(url: string, root: string): readonly string[] {
  if (url.startsWith("file:")) return [fileURLToPath(url)];
  if (isAbsolute(url)) return [url];
  return [join(root, "upload", url), join(root, url)];
}

function within(folder: string, file: string): string | null {
  const path = relative(folder, file);
  return path.startsWith("..") || isAbsolute(path) ? null : path;
}

async function readText(file: string): Promise<string | null> {
  return readFile(file, "utf8").catch(() => null);
}

/** Line and column from 0. null: it does not say. */
export type OwnerAt = (line: number, column: number) => Owner | null;

const BUNDLER: Owner = { kind: "package", name: "bundler's helpers" };

/** By the source map, then by the marks that bundlers leave, from the inside out, then by the file's own path. */
export function ownersIn({ path, source, map }: Script, ownerOf = ownerOfPath): OwnerAt {
  const starts = lineStarts(source);
  // Parsing a bundle of megabytes takes a second.
  let marks: readonly ModuleMark[] | null = null;
  return (line, column) => {
    const original = map === null ? null : originalPositionFor(map, { line: line + 1, column }).source;
    const mapped = original === null ? null : ownerOf(original);
    if (mapped !== null) return mapped;
    marks ??= moduleMarks(source);
    const offset = (starts[line] ?? 0) + column;
    let around = path;
    const paths = [path];
    for (const mark of marks.filter(({ start, end }) => start <= offset && offset < end)) {
      around = resolveInPackage(mark.path, around);
      paths.unshift(around);
    }
    for (const candidate of paths) {
      const owner = ownerOf(candidate);
      if (owner !== null) return owner;
    }
    // What no source file stands behind, a bundler has put in, such as esbuild's __name().
    return map !== null && original === null ? BUNDLER : null;
  };
}

function resolveInPackage(inner: string, outer: string): string {
  const plain = inner.replace(/^\([^)]*\)\//, "");
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(outer)?.[0];
  return plain.startsWith("./") && folder !== undefined ? folder + plain.slice(2) : plain;
}

function lineStarts(source: string): readonly number[] {
  return [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

export interface ModuleMark {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** esbuild's comment above each module, and rolldown's. Minified bundles have none. */
const COMMENT = /^[ \t]*\/\/(?:#region)? (\S*\/\S*\.(?:[cm]?[jt]sx?|svelte|json))$/gm;

const KEY = /["'][^"'\n]*\/[^"'\n]*\.[cm]?[jt]sx?["']\s*(?:\(|:)/;
const KEY_PATH = /\/.*\.[cm]?[jt]sx?$/;

/** Comments of bundlers, and objects of CommonJS modules by their paths, which survive minification. */
export function moduleMarks(source: string): readonly ModuleMark[] {
  const comments = [...source.matchAll(COMMENT)];
  const commented = comments.map((match, index) => ({
    path: match[1] ?? "",
    start: match.index,
    end: comments[index + 1]?.index ?? source.length,
  }));
  const keyed = KEY.test(source) ? keyedModules(source) : [];
  return [...commented, ...keyed].sort((a, b) => a.start - b.start || b.end - a.end);
}

function keyedModules(source: string): ModuleMark[] {
  const marks: ModuleMark[] = [];
  const tree = parseAny(source);
  const left: unknown[] = tree === null ? [] : [tree];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const path = pathOfModule(value as Node);
    if (path !== null) marks.push({ path, start: (value as Node).start, end: (value as Node).end });
    for (const child of Object.values(value)) if (typeof child === "object") left.push(child);
  }
  return marks;
}

function parseAny(source: string): Node | null {
  const options: Options = { ecmaVersion: "latest", allowHashBang: true, allowReturnOutsideFunction: true };
  for (const sourceType of ["module", "script"] as const) {
    try {
      return parse(source, { ...options, sourceType });
    } catch {}
  }
  return null;
}

function pathOfModule(node: Node): string | null {
  if (node.type !== "Property") return null;
  const { key, value } = node as Node & { key: Node & { value?: unknown }; value: Node };
  const isFunction = value.type === "FunctionExpression" || value.type === "ArrowFunctionExpression";
  if (!isFunction || key.type !== "Literal" || typeof key.value !== "string") return null;
  return KEY_PATH.test(key.value) ? key.value : null;
}

/** Handler cases, the pages they share, and the pages of apps, wherever their framework looks for them. */
const CASES = [/^packages\/cases\//, /^apps\/[^/]+\/(app|src\/(components|pages|routes))\//];

const SVELTE_ADAPTERS: ReadonlyMap<string, string> = new Map([
  ["adapter-node", "@sveltejs/adapter-node"],
  ["vercel-tmp", "@sveltejs/adapter-vercel"],
  ["cloudflare", "@sveltejs/adapter-cloudflare"],
]);

const CASE: Owner = { kind: "case", name: "the case" };
const HARNESS: Owner = { kind: "harness", name: "evenbench" };

export function ownerOfPath(path: string): Owner | null {
  const plain = path.replace(/^(\.\.?\/)+/, "");
  const installed = packageOf(plain);
  if (installed !== null) return ownerOfPackage(installed);
  // What OpenNext generates and puts beside its handler.mjs, which is a bundle of everything.
  if (plain.includes(".open-next/") && !plain.includes(".next/server/")) {
    return plain.endsWith("/handler.mjs") ? null : ownerOfPackage("@opennextjs/cloudflare");
  }
  const chunk = /\.next\/server\/(?:.*\/)?([^/]+)$/.exec(plain)?.[1];
  if (chunk !== undefined) return ownerOfChunk(chunk);
  // SvelteKit names what it makes of a route's files after them.
  if (/(^|\/)entries\/(pages|endpoints)\//.test(plain)) return CASE;
  const generator = /(?:^|\/)\.svelte-kit\/([^/]+)\//.exec(plain)?.[1];
  const adapter = SVELTE_ADAPTERS.get(generator ?? "");
  if (adapter !== undefined) return ownerOfPackage(adapter);
  if (CASES.some((pattern) => pattern.test(plain))) return CASE;
  return /^(packages|apps|src)\//.test(plain) ? HARNESS : null;
}

function ownerInProject(path: string): Owner {
  const installed = packageOf(path);
  return installed === null ? { kind: "case", name: "your code" } : ownerOfPackage(installed);
}

/** "node:internal/timers", "node-internal:internal_buffer", "ext:core/01_core.js". */
export function ownerOfRuntime(url: string, runtime: string): Owner | null {
  if (url === "") return { kind: "runtime", name: `${runtime} built-in functions` };
  const isOwn = /^(?!file:|data:|wasm:)[a-z-]{2,}:/.test(url) || isBuiltin(url);
  return isOwn ? { kind: "runtime", name: `${runtime} internals` } : null;
}

function ownerOfPackage(name: string): Owner {
  return { kind: "package", name };
}

/** In the last node_modules of a path. What Next.js carries along precompiled counts as what it is. */
function packageOf(path: string): string | null {
  const inside = path.split("node_modules/").at(-1);
  if (inside === undefined || inside === path) return null;
  const name = /^(@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? null;
  if (name !== "next") return name;
  const compiled = /^next\/dist\/compiled\/((?:@[^/]+\/)?[^/]+)\//.exec(inside)?.[1];
  return compiled === undefined || compiled === "next-server" ? name : compiled;
}

/** Turbopack names its chunks after what is in them: "0c8l_next_dist_client_components_…". */
function ownerOfChunk(file: string): Owner | null {
  if (/^\[turbopack\]_runtime/.test(file) || /_next_dist_/.test(file)) return ownerOfPackage("next");
  if (/^(packages_cases|apps_next_app)_/.test(file)) return CASE;
  return /^packages_/.test(file) ? HARNESS : null;
}

import { realpath } from "node:fs/promises";
import type { Profiler, Runtime } from "node:inspector";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readSourceMaps, type SourceMaps, slashed } from "@evenbench/bundle/deployable";
import { readUserBytes } from "@evenbench/core/user-file";
import { repositoryRoot } from "@evenbench/host";
import type { Owner } from "@evenbench/results";
import { isOfPlatform, type LocalTarget } from "@evenbench/runner";
import { FlattenMap, originalPositionFor, type TraceMap } from "@jridgewell/trace-mapping";
import { type AnyNode, type Node, type Property, parse } from "acorn";
import { type OwnerOfPath, ownerByPath, ownerInProject, ownerOfFront, ownerOfRuntime } from "./owners.ts";

const UNATTRIBUTED: Owner = { kind: "unattributed", name: "unattributed" };
const BUNDLER_OWNER: Owner = { kind: "package", name: "bundler's helpers" };

/** Finds the owner of a place in a script, by line and column from 0; null where nothing says it. */
export type OwnerAt = (line: number, column: number) => Owner | null;

/** A place in a file that somebody wrote, or, where no source map leads there, in one that was built. */
export interface SourcePlace {
  /** The path with slashes: from the app's sources on, else from the deployable or the repository, else absolute. */
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
}

/** The knowledge of whose the functions in a profile are. */
export interface Attribution {
  /** Gives the owner of a frame; "unattributed" where nothing says it. */
  ownerOf(frame: Runtime.CallFrame): Owner;
  /** Gives the place at which a frame's function begins; null where its script cannot be read. */
  placeOf(frame: Runtime.CallFrame): SourcePlace | null;
}

/**
 * Prepares to say whose time each frame is, and where its function stands.
 *
 * @param runtimeFact the runtime as the target's identity names it: "Node.js 24.11.1".
 */
export async function attribute(
  { nodes }: Profiler.Profile,
  target: LocalTarget,
  runtimeFact: string | null | undefined,
): Promise<Attribution> {
  const { deployable, app, platform, ownServer, sources = null } = target;
  const runtime = /^\S+/.exec(runtimeFact ?? "")?.[0] ?? "runtime";
  const root = await realpath(deployable);
  const maps = isOfPlatform(target) ? await readSourceMaps(deployable) : null;
  const ownerOfFile = ownServer === undefined ? ownerByPath(app.generated) : ownerInProject;
  const folders = [join(root, platform.scriptFolder ?? ""), root];
  const urls = new Set(nodes.map(({ callFrame }) => callFrame.url));
  const scripts = new Map<string, Script>();
  const owners = new Map<string, OwnerAt>();
  for (const url of urls) {
    if (ownerOfRuntime(url, runtime) !== null) {
      continue;
    }
    const script = readScript(filesOfScript(url, folders), root, maps);
    if (script !== null) {
      scripts.set(url, script);
      owners.set(url, ownersIn(script, ownerOfFile));
    }
  }
  return {
    ownerOf(frame) {
      const { url } = frame;
      const found = owners.get(url)?.(...beginOf(frame));
      const owner = ownerOfRuntime(url, runtime) ?? found ?? ownerOfFront(url) ?? UNATTRIBUTED;
      const isAdapter = [app, platform].some(({ adapters }) => adapters?.test(owner.name));
      return owner.kind === "package" && isAdapter ? { ...owner, kind: "adapter" } : owner;
    },
    placeOf(frame) {
      const script = scripts.get(frame.url);
      return script === undefined ? null : sourcePlaceIn(script, ...beginOf(frame), sources);
    },
  };
}

/** Gives the line and the column, from 0, at which a frame's function begins: a module's top level has -1 of each. */
function beginOf({ lineNumber, columnNumber }: Runtime.CallFrame): [line: number, column: number] {
  return [Math.max(0, lineNumber), Math.max(0, columnNumber)];
}

/**
 * Gives the place in the source that a place in a script was made of; the place in the script itself where no source
 * map leads to one.
 *
 * @param line the line, from 0.
 * @param column the column, from 0.
 * @param sources absolute path of the folder that names of files begin at; null: the repository's.
 */
export function sourcePlaceIn(
  script: Script,
  line: number,
  column: number,
  sources: string | null,
): SourcePlace {
  const original = script.map === null ? null : originalPositionFor(script.map, { line: line + 1, column });
  if (original === null || original.source === null) {
    return { file: fromPackage(script.path), line: line + 1 };
  }
  const file = resolve(script.mapFolder, original.source);
  const root = sources ?? repositoryRoot;
  return { file: fromPackage(slashed(within(root, file) ?? file)), line: original.line };
}

/** Shortens the path of a package's file to begin at the package. */
function fromPackage(path: string): string {
  return path.split("node_modules/").at(-1) ?? path;
}

/** A file that a profile has frames of. */
export interface Script {
  /** The path with slashes: from the deployable, else from the repository, else absolute. */
  readonly path: string;
  /** The text of the file. */
  readonly source: string;
  /** The source map; null where it has none. */
  readonly map: TraceMap | null;
  /** Absolute path of the folder that sources in the map are named from. */
  readonly mapFolder: string;
}

/**
 * Reads the first of some files that is there; null without one.
 *
 * @param maps source maps by path; null: beside the files.
 */
function readScript(files: readonly string[], root: string, maps: SourceMaps | null): Script | null {
  for (const file of files) {
    const source = readText(file);
    if (source === null) {
      continue;
    }
    const inside = within(root, file);
    const path = slashed(inside ?? within(repositoryRoot, file) ?? file);
    const kept = inside === null ? null : (maps?.[path] ?? null);
    const beside = kept === null ? readText(`${file}.map`) : null;
    const map = kept ?? beside;
    return {
      path,
      source,
      map: map === null ? null : new FlattenMap(map),
      // Kept maps name sources from the repository on (bundle's source-maps.ts).
      mapFolder: kept === null ? dirname(file) : repositoryRoot,
    };
  }
  return null;
}

/** Names the files that a script's URL may mean; one that is relative lies in one of the folders. */
function filesOfScript(url: string, folders: readonly string[]): readonly string[] {
  if (url.startsWith("file:")) {
    return [fileURLToPath(url)];
  }
  if (isAbsolute(url)) {
    return [url];
  }
  return folders.map((folder) => join(folder, url));
}

/** Gives the path of a file from a folder on; null where it does not lie in it. */
function within(folder: string, file: string): string | null {
  const path = relative(folder, file);
  return path.startsWith("..") || isAbsolute(path) ? null : path;
}

/** Reads a file; null where it is none that can be read: a script may name a pipe. */
function readText(file: string): string | null {
  try {
    return readUserBytes(file, Number.POSITIVE_INFINITY).toString();
  } catch {
    return null;
  }
}

/** Prepares to find the owners of places in a script: by its source map, then by bundlers' marks, then by its path. */
export function ownersIn({ path, source, map }: Script, ownerOf: OwnerOfPath = ownerByPath()): OwnerAt {
  const starts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  // Parsing a bundle of megabytes takes a second: marks are found when the map does not say it.
  let marks: readonly ModuleMark[] | null = null;
  return (line, column) => {
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
    if (owner !== undefined) {
      return owner;
    }
    // Code without a source file was put in by a bundler, such as esbuild's __name().
    return map !== null && original === null ? BUNDLER_OWNER : null;
  };
}

/** Resolves a module's path that begins at the package of the module around it. */
function resolveInPackage(inner: string, outer: string): string {
  const plain = inner.replace(/^\([^)]*\)\//, "");
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(outer)?.[0];
  return plain.startsWith("./") && folder !== undefined ? folder + plain.slice(2) : plain;
}

/** The comment that esbuild and rolldown write above each module. Minified bundles have none. */
const COMMENT = /^[ \t]*\/\/(?:#region)? (\S*\/\S*\.(?:[cm]?[jt]sx?|svelte|json))$/gm;

/** A key of an object that maps paths of modules to functions or texts. */
const MODULE_KEY = /["'][^"'\n]*\/[^"'\n]*\.[cm]?[jt]sx?["']\s*(?:\(|:)/;
const KEY_PATH = /\/.*\.[cm]?[jt]sx?$/;

/** A part of a bundle that came from one module. */
interface ModuleMark {
  /** The module's path, as the bundler wrote it. */
  readonly path: string;
  /** Offset of its first character. */
  readonly start: number;
  /** Offset behind its last character. */
  readonly end: number;
}

/** Finds comments of bundlers, and objects of CommonJS modules by their paths, which survive minification. */
function moduleMarks(source: string): readonly ModuleMark[] {
  const comments = [...source.matchAll(COMMENT)];
  const commented = comments.map((comment, index) => {
    const [, path = ""] = comment;
    const next = comments[index + 1];
    return { path, start: comment.index, end: next?.index ?? source.length };
  });
  const keyed = MODULE_KEY.test(source) ? keyedModules(source) : [];
  return [...commented, ...keyed].sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Finds the functions of CommonJS modules in objects whose keys are their paths. */
function keyedModules(source: string): readonly ModuleMark[] {
  const marks: ModuleMark[] = [];
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

/** Parses a text as a script which may do all that a module may; null where it is not JavaScript. */
function parsed(source: string): Node | null {
  try {
    return parse(source, {
      ecmaVersion: "latest",
      sourceType: "script",
      allowImportExportEverywhere: true,
      allowAwaitOutsideFunction: true,
      allowHashBang: true,
      allowReturnOutsideFunction: true,
    });
  } catch {
    return null;
  }
}

/** Gives the path that a property has as its key; null where it is no module's function. */
function pathOfModule({ key, value }: Property): string | null {
  const isFunction = value.type === "FunctionExpression" || value.type === "ArrowFunctionExpression";
  const path = isFunction && key.type === "Literal" ? String(key.value) : "";
  return KEY_PATH.test(path) ? path : null;
}

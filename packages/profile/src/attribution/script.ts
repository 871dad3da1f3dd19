import type { Owner } from "@evenbench/results";
import { originalPositionFor, type TraceMap } from "@jridgewell/trace-mapping";
import { type Node, type Options, parse } from "acorn";
import { ownerOfPath } from "./owner-of-path.ts";

export interface Script {
  readonly path: string;
  readonly source: string;
  readonly map: TraceMap | null;
}

/** Says whose code stands at a place of a script; line and column from 0. null: it does not say. */
export type OwnerAt = (line: number, column: number) => Owner | null;

const BUNDLER: Owner = { kind: "package", name: "bundler's helpers" };

/**
 * By the source map first, then by the marks that bundlers leave, from the inside out, then by the file's
 * own path.
 */
export function ownersIn({ path, source, map }: Script): OwnerAt {
  const starts = lineStarts(source);
  // Looked for when first needed: parsing a bundle of megabytes takes a second.
  let marks: readonly ModuleMark[] | null = null;
  return (line, column) => {
    const original = map === null ? null : originalPositionFor(map, { line: line + 1, column }).source;
    const mapped = original === null ? null : ownerOfPath(original);
    if (mapped !== null) return mapped;
    marks ??= moduleMarks(source);
    let around = path;
    const paths = [path];
    for (const mark of marksAround(marks, (starts[line] ?? 0) + column)) {
      around = resolveInPackage(mark.path, around);
      paths.unshift(around);
    }
    for (const candidate of paths) {
      const owner = ownerOfPath(candidate);
      if (owner !== null) return owner;
    }
    // What no source file stands behind, a bundler has put in: esbuild's __name(), which frameworks'
    // functions pass through.
    return map !== null && original === null ? BUNDLER : null;
  };
}

function resolveInPackage(inner: string, outer: string): string {
  const plain = inner.replace(/^\([^)]*\)\//, "");
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(outer)?.[0];
  return plain.startsWith("./") && folder !== undefined ? folder + plain.slice(2) : plain;
}

function lineStarts(source: string): readonly number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

export interface ModuleMark {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** esbuild's comment above each module, and rolldown's. Minified bundles have none. */
const COMMENT = /^[ \t]*\/\/(?:#region)? (\S*\/\S*\.(?:[cm]?[jt]sx?|svelte|json))$/gm;

/** The path of a module as a key of an object: `"node_modules/a/b.js"(exports, module) {`. */
const KEY = /["'][^"'\n]*\/[^"'\n]*\.[cm]?[jt]sx?["']\s*(?:\(|:)/;
const KEY_PATH = /\/.*\.[cm]?[jt]sx?$/;

/**
 * Finds the modules in a bundle by what bundlers leave in it: comments (esbuild), and objects of modules
 * by their paths, which survive minification (CommonJS modules in esbuild and webpack).
 */
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

function marksAround(marks: readonly ModuleMark[], offset: number): readonly ModuleMark[] {
  return marks.filter(({ start, end }) => start <= offset && offset < end);
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
  const options: Options = { ecmaVersion: "latest", sourceType: "module", allowHashBang: true };
  for (const sourceType of ["module", "script"] as const) {
    try {
      return parse(source, { ...options, sourceType, allowReturnOutsideFunction: true });
    } catch {
      // Not of this type: the other one may do.
    }
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

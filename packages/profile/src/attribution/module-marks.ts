import { type Node, type Options, parse } from "acorn";

/** A part of a bundle that was a module of its own. Offsets in UTF-16 units, the end not included. */
export interface ModuleMark {
  /** As the bundler wrote it. */
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
 * Finds the modules in a bundle by what bundlers leave in it: comments (esbuild), and objects of modules by
 * their paths, which survive minification (CommonJS modules in esbuild and webpack).
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

/** The modules around an offset, the outermost first. */
export function marksAround(marks: readonly ModuleMark[], offset: number): readonly ModuleMark[] {
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

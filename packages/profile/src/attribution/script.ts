import type { Owner } from "@evenbench/results";
import { originalPositionFor, type TraceMap } from "@jridgewell/trace-mapping";
import { type ModuleMark, marksAround, moduleMarks } from "./module-marks.ts";
import { ownerOfPath } from "./owner-of-path.ts";

export interface Script {
  /** Path of its file, relative to the deployable or the repository. */
  readonly path: string;
  readonly source: string;
  readonly map: TraceMap | null;
}

/** Says whose code stands at a place of a script; line and column from 0. null: it does not say. */
export type OwnerAt = (line: number, column: number) => Owner | null;

const BUNDLER: Owner = { kind: "package", name: "bundler's helpers" };

/** By the source map first, then by the marks that bundlers leave, from the inside out, then by the file's own path. */
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

/**
 * The path of a module inside another bundle's module. Precompiled packages name theirs relative to their own
 * folder: "./dist/compiled/react-dom/index.js" in a file of next, some with a layer in front, "(react-
 * server)/./dist/…".
 */
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

import { SourceMap } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { casesDirectory, discoverCases } from "./discover.ts";
import { esbuildOptions, jsxOf, root } from "./esbuild-options.ts";
import { slashed } from "./manifest.ts";

/**
 * Finds the source that a place in a case's built module comes from. The module is bundled once more, in
 * memory and with a source map: equal sources give equal lines, and what is deployed carries no map.
 *
 * @param line counted from 1, as in a stack.
 * @param column counted from 1, as in a stack.
 * @param directory the folder of all cases.
 * @returns file and line, such as "packages/cases/math/case.ts:19"; null where there is no such case, it cannot be
 * bundled, or no source stands at that place.
 */
export async function placeInSources(
  caseId: string,
  line: number,
  column: number,
  directory: string = casesDirectory,
): Promise<string | null> {
  const found = discoverCases(directory).cases.find(({ id }) => id === caseId);
  if (found === undefined) {
    return null;
  }
  const bundled = await build({
    ...esbuildOptions("production"),
    ...(await jsxOf(dirname(found.path))),
    entryPoints: [found.path],
    outfile: join(dirname(found.path), `${caseId}.mjs`),
    sourcemap: "external",
    write: false,
  }).catch(() => null);
  const map = bundled?.outputFiles.find(({ path }) => path.endsWith(".map"));
  if (map === undefined) {
    return null;
  }
  const entry = new SourceMap(JSON.parse(map.text)).findEntry(line - 1, column - 1);
  // A line without a source of its own is given that of the last line before it.
  if (!("originalSource" in entry) || entry.generatedLine !== line - 1) {
    return null;
  }
  const source = resolve(dirname(found.path), entry.originalSource);
  return `${slashed(relative(root, source))}:${entry.originalLine + 1}`;
}

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import remapping, { type EncodedSourceMap, type SourceMapInput } from "@jridgewell/remapping";
import { filesOf, readJson, slashed } from "../manifest.ts";

/** A folder of a deployable with the source maps of its scripts. */
export interface MappedFolder {
  /** Absolute path of the folder with the scripts. */
  readonly deployed: string;
  /** The folder that has "<relative path>.map" for each script. */
  readonly maps: string;
}

/** Source maps by the paths of scripts, from the deployable on. */
export type SourceMaps = Readonly<Record<string, EncodedSourceMap>>;

/** Names the file of a deployable's source maps, beside it. */
export function mapsFile(deployable: string): string {
  return `${deployable}.maps.json`;
}

/** Keeps the source maps of scripts beside the deployable, not in it: what is deployed stays the same bytes. */
export async function keepSourceMaps(deployable: string, folders: readonly MappedFolder[]): Promise<void> {
  const kept: Record<string, EncodedSourceMap> = {};
  for (const { deployed, maps } of folders) {
    const scripts = (await filesOf(deployed)).filter((path) => /\.[cm]?js$/.test(path));
    for (const path of scripts) {
      const mapFile = join(maps, `${path}.map`);
      const map = await readMap(mapFile);
      if (map === null) {
        continue;
      }
      const name = slashed(relative(deployable, join(deployed, path)));
      kept[name] = await traced(map, dirname(mapFile));
    }
  }
  await writeFile(mapsFile(deployable), JSON.stringify(kept));
}

/** Reads the source maps of a deployable; none where none were kept. */
export async function readSourceMaps(deployable: string): Promise<SourceMaps> {
  return (await readJson<SourceMaps>(mapsFile(deployable))) ?? {};
}

/**
 * Reads a source map; null without one, or where it says nothing of anybody's code. One that is no JSON, or names no
 * files, keeps nobody from building.
 */
async function readMap(file: string): Promise<EncodedSourceMap | null> {
  const text = await readFile(file, "utf8").catch(() => null);
  const map = text === null ? undefined : (parseJson(text) as Partial<EncodedSourceMap> | undefined);
  // One in sections has an empty list of sources, too.
  const isWhole = Array.isArray(map?.sources) && !("sections" in map);
  return isWhole ? (map as EncodedSourceMap) : null;
}

async function traced(map: EncodedSourceMap, folder: string): Promise<EncodedSourceMap> {
  const root = { ...map, sourceRoot: "", sources: absoluteSources(map, folder) };
  // remapping asks for maps synchronously: they are read before, bundle by bundle.
  const between = new Map<string, EncodedSourceMap>();
  const ahead = [...root.sources];
  for (let source = ahead.pop(); source !== undefined; source = ahead.pop()) {
    if (source === null || between.has(source)) {
      continue;
    }
    const next = await readMap(`${source}.map`);
    if (next === null) {
      continue;
    }
    const sources = absoluteSources(next, dirname(source));
    between.set(source, { ...next, sourceRoot: "", sources });
    ahead.push(...sources);
  }
  const load = (file: string): SourceMapInput | null => between.get(file) ?? null;
  const { sources, names: _, ...rest } = remapping(root, load, { excludeContent: true });
  const named = sources.map((source) => (source === null ? null : slashed(relative(repositoryRoot, source))));
  return { ...rest, names: [], sources: named } as EncodedSourceMap;
}

function absoluteSources({ sources, sourceRoot }: EncodedSourceMap, folder: string): (string | null)[] {
  return sources.map((source) => {
    if (source === null) {
      return null;
    }
    return source.startsWith("file:")
      ? fileURLToPath(source)
      : resolve(folder, sourceRoot ?? "", decodedSource(source));
  });
}

/** Sources are addresses: Turbopack writes "app/%5Bslug%5D/page.tsx". Other bundlers write paths as they are. */
function decodedSource(source: string): string {
  try {
    return decodeURIComponent(source);
  } catch {
    return source;
  }
}

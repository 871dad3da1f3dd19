import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { OwnAppRead, OwnAppSource } from "@evenbench/core";
import { foldersBetween } from "./ignored.ts";

/** A search of tools from an app's folder upwards, which no option stops. It ends at the first file that is found. */
interface Search {
  readonly names: RegExp;
  /** The key of package.json that is as good as such a file. Default: none is. */
  readonly key?: string;
}

const SEARCHES: readonly Search[] = [
  // Vite, Next.js, and what they bundle with.
  { names: /^\.?postcss(?:rc|\.config)[\w.]*$/, key: "postcss" },
  { names: /^\.?browserslist(?:rc)?$/, key: "browserslist" },
  // esbuild, for the options of each file.
  { names: /^[jt]sconfig\.json$/ },
  { names: /^\.pnp\.[cm]?js$/ },
];

/** Files by which Next.js finds a workspace: of all folders above, it takes the topmost with one. */
const WORKSPACE_OF_NEXT = /^(?:package-lock\.json|pnpm-(?:lock|workspace)\.yaml|yarn\.lock|bun\.lockb?)$/;

const IS_TAKEN =
  "it lies above the private copies, where tools of the app find it; XDG_CACHE_HOME moves the copies";

/**
 * Lists files above a folder of builds that tools take for a part of an app: not what the app has itself, and is found
 * before.
 */
export function foundAbove(
  builds: string,
  { folder, workspace, packageJson, rangeOf }: OwnAppSource,
): readonly OwnAppRead[] {
  const above = foldersAbove(builds).flatMap((place) => namesIn(place).map((name) => ({ place, name })));
  const own = [...foldersBetween(workspace, folder), folder].flatMap(namesIn);
  const searched = SEARCHES.filter(({ names, key }) => {
    const isKey = key !== undefined && packageJson !== null && key in packageJson;
    return !isKey && !own.some((name) => names.test(name));
  }).flatMap(({ names }) => above.find(({ name }) => names.test(name)) ?? []);
  const ofNext =
    rangeOf("next") === null ? undefined : above.findLast(({ name }) => WORKSPACE_OF_NEXT.test(name));
  return [...searched, ...(ofNext === undefined ? [] : [ofNext])].map(({ place, name }) => ({
    file: relative(folder, join(place, name)),
    applied: [],
    notApplied: [{ what: "its content", why: IS_TAKEN }],
  }));
}

/** Lists the folders above one, the nearest first. */
function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/** Lists the names in a folder; none where this user may not list it. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

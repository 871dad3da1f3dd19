import { join, relative } from "node:path";
import type { NotApplied, OwnAppRead, OwnAppSource, Platform } from "@evenbench/core";
import { foundAbove, readAbove } from "./above.ts";
import type { Kept } from "./build-once.ts";
import { foldersBetween, repositoryAbove } from "./ignored.ts";
import { pinsOf } from "./node-pins.ts";
import type { Prepared } from "./prepare.ts";
import { lockFilesIn } from "./workspace.ts";

/**
 * Lists the files of an app's folder that were read, each with what of it counts and what does not. It is made once, of
 * all that reads such files.
 */
export function readOf(
  { source, environment, list, missing, builds }: Prepared,
  { read, lost, finishedFor }: Pick<Kept, "read" | "lost" | "finishedFor">,
  platforms: readonly Platform[],
): readonly OwnAppRead[] {
  const all = [
    ...pinsOf(source),
    ...lockOf(source, missing),
    ...leftOutOf(source, list, lost),
    ...source.passedOver,
    ...readAbove(source),
    ...foundAbove(builds, source),
    ...environment.read,
    ...read,
    ...platforms.flatMap(
      ({ id, readOwnFiles }) => readOwnFiles?.(source.folder, finishedFor.includes(id)) ?? [],
    ),
  ];
  return all.filter(({ applied, notApplied }) => applied.length + notApplied.length > 0);
}

/** Says which file pins the packages. */
function lockOf(
  { root, folder, packageManager }: OwnAppSource,
  missing: readonly string[],
): readonly OwnAppRead[] {
  const [name, ...others] = lockFilesIn(root, packageManager);
  if (name === undefined) {
    return lockFilesAbove(root).map((path) => ({
      file: relative(folder, path),
      applied: [],
      notApplied: [{ what: "its versions", why: "no workspace there names the app as a member" }],
    }));
  }
  const file = join(relative(folder, root), name);
  const isInstalled = missing.length === 0;
  return [
    {
      file,
      applied: isInstalled ? [] : [`versions, by ${packageManager}`],
      notApplied: [
        ...others.map((what) => ({ what, why: "one lock file counts" })),
        ...(isInstalled ? [{ what: "its versions", why: "the packages that are installed count" }] : []),
      ],
    },
  ];
}

/** Lists the lock files of the folders between a folder and the root of its repository. */
function lockFilesAbove(folder: string): readonly string[] {
  const above = foldersBetween(repositoryAbove(folder) ?? folder, folder);
  return above.flatMap((place) => lockFilesIn(place).map((name) => join(place, name)));
}

/** Number of paths that are named one by one. */
const PATHS_NAMED = 20;

const OUTSIDE = "lies outside of the folder, and no repository has both";

/** Says what of the folder is not in the copy. */
function leftOutOf(
  { workspace, folder, unreached }: OwnAppSource,
  { ignored, ignoreFiles, unreadable, special }: Prepared["list"],
  lost: Kept["lost"],
): readonly OwnAppRead[] {
  const shown = ignored.slice(0, PATHS_NAMED);
  const rest = ignored.length - shown.length;
  const byIgnoring = rest > 0 ? [...shown, `${rest} more`] : shown;
  const notCopied: NotApplied[] = [
    ...unreadable.map((what) => ({ what, why: "may not be read" })),
    ...special.map((what) => ({ what, why: "is no file" })),
    ...lost.map(({ path, why }) => ({ what: relative(workspace, path), why })),
    ...(unreached === null ? [] : [{ what: relative(folder, unreached), why: OUTSIDE }]),
  ];
  return [
    { file: ignoreFiles.join(", "), applied: byIgnoring.map((path) => `leaves out ${path}`), notApplied: [] },
    { file: ".", applied: [], notApplied: notCopied },
  ];
}

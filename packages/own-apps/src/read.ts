import { join, relative } from "node:path";
import {
  advising,
  type NotApplied,
  type OwnAppRead,
  type OwnAppSource,
  type Platform,
} from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { satisfies, validRange } from "semver";
import { foundAbove } from "./above.ts";
import type { Kept } from "./build-once.ts";
import { foldersBetween, repositoryAbove } from "./ignored.ts";
import type { Prepared } from "./prepare.ts";
import { lockFilesIn } from "./workspace.ts";

/**
 * Lists the files of an app's folder that were read, each with what of it counts and what does not. It is made once, of
 * all that reads such files.
 */
export function readOf(
  { source, environment, list, missing, builds }: Prepared,
  { read, lost }: Pick<Kept, "read" | "lost">,
  platforms: readonly Platform[],
): readonly OwnAppRead[] {
  const all = [
    ...pinsOf(source),
    ...lockOf(source, missing),
    ...leftOutOf(source, list, lost),
    ...foundAbove(builds, source),
    ...environment.read,
    ...read,
    ...platforms.flatMap((platform) => platform.readOwnFiles?.(source.folder) ?? []),
  ];
  return all.filter(({ applied, notApplied }) => applied.length + notApplied.length > 0);
}

/** Files that name a version of Node.js, with where in them it stands. */
const VERSION_FILES: Readonly<Record<string, RegExp>> = {
  ".nvmrc": /^\s*([^\s#]+)/m,
  ".node-version": /^\s*([^\s#]+)/m,
  ".tool-versions": /^node(?:js)?\s+(\S+)/m,
};

/** Reads for which Node.js an app was written. Evenbench's own builds and serves it. */
export function pinsOf(source: OwnAppSource): readonly OwnAppRead[] {
  const { packageJson, folder } = source;
  const pins = [
    { file: "package.json", what: "engines.node", range: packageJson?.engines?.node },
    { file: "package.json", what: "volta.node", range: packageJson?.volta?.node },
    { file: "package.json", what: "devEngines.runtime", range: runtimeOf(packageJson) },
    ...Object.entries(VERSION_FILES).map(([file, version]) => ({
      file,
      what: "its version",
      range: version.exec(readIfThere(join(folder, file)) ?? "")?.[1],
    })),
  ];
  return pins.flatMap(({ file, what, range }) =>
    typeof range === "string" ? [pinOf(file, what, range)] : [],
  );
}

/** Gives the version of Node.js among the runtimes that package.json wants for developing. */
function runtimeOf(packageJson: OwnAppSource["packageJson"]): unknown {
  const runtimes = [packageJson?.devEngines?.runtime ?? []].flat();
  return runtimes.find(({ name }) => name === "node")?.version;
}

function pinOf(file: string, what: string, range: string): OwnAppRead {
  const named = `${what} ${range}`;
  const { node } = process.versions;
  const isIn = validRange(range) !== null && satisfies(node, range);
  const why = `Node.js ${node} builds it, and serves it${advising("--node", " unless --node names another")}`;
  return isIn
    ? { file, applied: [named], notApplied: [] }
    : { file, applied: [], notApplied: [{ what: named, why }] };
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

/** Says what of the folder is not in the copy. */
function leftOutOf(
  { workspace, folder, unreached }: OwnAppSource,
  { ignored, ignoreFiles, unreadable }: Prepared["list"],
  lost: Kept["lost"],
): readonly OwnAppRead[] {
  const shown = ignored.slice(0, PATHS_NAMED);
  const rest = ignored.length - shown.length;
  const byIgnoring = rest > 0 ? [...shown, `${rest} more`] : shown;
  const notCopied: NotApplied[] = [
    ...unreadable.map((what) => ({ what, why: "may not be read" })),
    ...lost.map(({ path, why }) => ({ what: relative(workspace, path), why })),
    ...(unreached === null
      ? []
      : [
          {
            what: relative(folder, unreached),
            why: "lies outside of the folder, and no repository has both",
          },
        ]),
  ];
  return [
    { file: ignoreFiles.join(", "), applied: byIgnoring.map((path) => `leaves out ${path}`), notApplied: [] },
    { file: ".", applied: [], notApplied: notCopied },
  ];
}

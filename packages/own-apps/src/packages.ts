import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { OwnAppBuild } from "@evenbench/core";
import { Copier, type LostPath } from "./copy.ts";
import { modulesFolders, sourceFiles } from "./files.ts";
import { isFinished } from "./find-frameworks.ts";
import { copyRepository } from "./git.ts";
import { addCommand, installCommand, installedVersion } from "./install.ts";
import { notePackages, takeOverPackages } from "./kept-builds.ts";
import type { OwnAppOptions } from "./options.ts";
import type { CallableManager } from "./package-manager.ts";
import type { Prepared } from "./prepare.ts";
import { lockFilesIn } from "./workspace.ts";

/** What the parts of one build share. */
export interface Steps extends Pick<OwnAppBuild, "run" | "note"> {
  /** Gives the app's package manager. @throws {UserError} where it cannot be had. */
  manager(): Promise<CallableManager>;
}

/** Copies the app's sources, its repository and its packages. @returns what the copy has not. */
export async function copyApp(
  prepared: Prepared,
  options: OwnAppOptions,
  steps: Steps,
): Promise<readonly LostPath[]> {
  const { source, list, copy, place, repository, packagesKey } = prepared;
  const { onStep } = options;
  const { workspace } = source;
  const root = join(place, "copy");
  await mkdir(copy.folder, { recursive: true });
  const hasTakenOver = await takeOverPackages(place, packagesKey);
  onStep("copying its sources");
  const sources = new Copier({ workspace, copy: copy.workspace, outside: join(place, "outside") });
  await sources.copySources(list.files, (words) => onStep(`copying its sources: ${words}`));
  if (repository !== null) {
    await copyRepository(repository, root);
  }
  const modules = new Copier({ workspace, copy: copy.workspace, outside: join(place, "outside-packages") });
  if (!hasTakenOver) {
    await givePackages(prepared, modules, options, steps);
  }
  await noteItsPackages(prepared);
  return [...sources.lost, ...modules.lost];
}

/** Notes what the packages of the copy are. Those that lie outside of the workspace are not moved to another build. */
async function noteItsPackages({ copy, place, packagesKey }: Prepared): Promise<void> {
  if (existsSync(join(place, "outside-packages"))) {
    return;
  }
  const list = sourceFiles(copy);
  const folders = modulesFolders(list, copy.workspace).map((folder) => relative(join(place, "copy"), folder));
  await notePackages(place, packagesKey, folders);
}

/** Copies the user's installed packages; where some are missing, all are installed in the copy. */
async function givePackages(
  { copy, found, ownBuild, modules, missing }: Prepared,
  copier: Copier,
  options: OwnAppOptions,
  { run, note, manager }: Steps,
): Promise<void> {
  if (missing.length === 0) {
    if (modules.length > 0) {
      options.onStep("copying its packages, once for this state of them");
      await copier.copyModules(modules, (words) => options.onStep(`copying its packages: ${words}`));
    }
    return;
  }
  // An app that is built needs no packages, and may do without those that its author did not install.
  if (isFinished(found) && ownBuild === null && !options.isStarted && options.build === null) {
    return;
  }
  const own = await manager();
  const install = (isLocked: boolean) => {
    const command = installCommand(copy, own, isLocked);
    return run(command.join(" "), command, { cwd: copy.root });
  };
  const [lockFile] = lockFilesIn(copy.root, own.name);
  try {
    await install(lockFile !== undefined);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (lockFile === undefined) {
      throw error;
    }
    // It may be older than package.json, which its author's own installation would mend.
    await install(false);
    note(`${lockFile} could not be installed as it is: where package.json says otherwise, that counts.`);
  }
  note(
    `Its packages were installed in the copy by ${own.name} ${own.version}: your folder lacks ${firstNames(missing)}.`,
  );
}

/** Joins names: the first three, and how many more there are. */
function firstNames(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

/** Adds packages to the copy that it does not have in these versions. */
export async function addPackages(
  prepared: Prepared,
  packages: readonly string[],
  { run, note, manager }: Steps,
): Promise<void> {
  const { copy } = prepared;
  const wanted = packages.filter((words) => !isInstalled(copy, words));
  if (wanted.length === 0) {
    return;
  }
  const command = addCommand(copy, await manager(), wanted);
  await run(command.join(" "), command);
  await noteItsPackages(prepared);
  note(`Added in the copy: ${wanted.join(", ")}.`);
}

/** Tells whether a package is there in the very version that is named, such as "wrangler@4.164.0". */
function isInstalled(copy: Prepared["copy"], words: string): boolean {
  const at = words.lastIndexOf("@");
  return at > 0 && installedVersion(copy, words.slice(0, at)) === words.slice(at + 1);
}

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import { type DeployableSize, isObject, type OwnAppBuild } from "@evenbench/core";
import { readOthersJson } from "@evenbench/core/user-file";
import { foldersUpFrom, packageFolder } from "./own-build.ts";
import { sizeOfFolder } from "./server-platform.ts";

/** Name of the list of the packages that a server finds by a link, and that are deployed with it. */
const LIST = "linked-packages.json";

/** Keys of a package.json that name what is installed for production. */
const FOR_PRODUCTION = ["dependencies", "optionalDependencies", "peerDependencies"];

interface LinkedServer {
  /** Absolute path of its folder. Default: that of the deployable. */
  readonly folder?: string;
  /** Names of packages that the private copy got for it. Default: none. */
  readonly added?: readonly string[];
}

/** Lets a server outside of the private copy find packages that it did not take in: the app's, and its workspace's. */
export async function linkPackages(
  build: OwnAppBuild,
  deployable: string,
  { folder = deployable, added = [] }: LinkedServer = {},
): Promise<void> {
  const modules = foldersUpFrom(build.folder, build.workspace).map((above) => join(above, MODULES));
  await linkModules(
    modules.filter((place) => existsSync(place)),
    join(folder, MODULES),
  );
  await writeFile(join(deployable, LIST), JSON.stringify(packagesForProduction(build.folder, added)));
}

const MODULES = "node_modules";

/** Links all that lies in folders of packages into one: of a name that several have, that of the first folder. */
async function linkModules(folders: readonly string[], place: string): Promise<void> {
  const [first, ...others] = folders;
  if (first === undefined) {
    return;
  }
  if (others.length === 0) {
    await symlink(first, place, "dir");
    return;
  }
  const linked = new Set<string>();
  for (const folder of folders) {
    for (const name of namesIn(folder).filter((found) => !linked.has(found))) {
      linked.add(name);
      await mkdir(dirname(join(place, name)), { recursive: true });
      await symlink(join(folder, name), join(place, name));
    }
  }
}

/** Lists the names in a folder of packages: "express", and "@types/node". */
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(folder, name)).map((of) => `${name}/${of}`) : [name],
  );
}

/** Adds up a server's deployable and the packages that are linked and deployed with it. */
export async function sizeOfServer(deployable: string): Promise<Omit<DeployableSize, "limit">> {
  const linked = (readOthersJson(join(deployable, LIST)) ?? []) as readonly string[];
  const total = { bytes: 0, gzipBytes: 0 };
  for (const folder of [deployable, ...linked]) {
    const { bytes, gzipBytes } = await sizeOfFolder(folder);
    total.bytes += bytes;
    total.gzipBytes += gzipBytes;
  }
  return total;
}

/**
 * Lists the folders of the packages that an app needs for production, also through others: none in another.
 *
 * @param added names of packages that it needs besides those of its package.json.
 */
export function packagesForProduction(app: string, added: readonly string[] = []): readonly string[] {
  const found = new Set<string>();
  visit(app, added);
  const folders = [...found].sort();
  return folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));

  function visit(folder: string, others: readonly string[] = []): void {
    for (const name of [...namedForProduction(folder), ...others]) {
      const named = packageFolder({ folder, workspace: parse(folder).root }, name);
      const at = named === null ? null : realpathSync(named);
      if (at !== null && !found.has(at)) {
        found.add(at);
        visit(at);
      }
    }
  }
}

/** Lists the packages that a folder's package.json names for production. */
function namedForProduction(folder: string): readonly string[] {
  const manifest = readOthersJson(join(folder, "package.json"));
  const lists = isObject(manifest) ? FOR_PRODUCTION.map((key) => manifest[key]) : [];
  return lists.flatMap((list) => (isObject(list) ? Object.keys(list) : []));
}

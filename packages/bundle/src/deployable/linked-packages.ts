import { existsSync, realpathSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { type DeployableSize, type OwnAppBuild, type OwnPackageJson, parseJson } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { packageFolder } from "./own-build.ts";
import { sizeOfFolder } from "./server-platform.ts";

/** Name of the list of the packages that a server finds by a link, and that are deployed with it. */
const LIST = "linked-packages.json";

/** A package.json, as far as it says what is installed for production. */
interface Manifest extends OwnPackageJson {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Lets a server that was moved out of an app's private copy find the packages that it did not take in.
 *
 * @param folder of the server in the deployable. Default: the deployable itself.
 */
export async function linkPackages(
  build: OwnAppBuild,
  deployable: string,
  folder = deployable,
): Promise<void> {
  const packages = join(build.folder, "node_modules");
  if (existsSync(packages)) {
    await symlink(packages, join(folder, "node_modules"), "dir");
  }
  await writeFile(join(deployable, LIST), JSON.stringify(packagesForProduction(build.folder)));
}

/** Adds up a server's deployable and the packages that are linked and deployed with it. */
export async function sizeOfServer(deployable: string): Promise<Omit<DeployableSize, "limit">> {
  const linked = (parseJson(readIfThere(join(deployable, LIST)) ?? "") ?? []) as readonly string[];
  const total = { bytes: 0, gzipBytes: 0 };
  for (const folder of [deployable, ...linked]) {
    const { bytes, gzipBytes } = await sizeOfFolder(folder);
    total.bytes += bytes;
    total.gzipBytes += gzipBytes;
  }
  return total;
}

/** Lists the folders of the packages that an app needs for production, also through others: none in another. */
export function packagesForProduction(app: string): readonly string[] {
  const found = new Set<string>();
  visit(app);
  const folders = [...found].sort();
  return folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));

  function visit(folder: string): void {
    const manifest = (parseJson(readIfThere(join(folder, "package.json")) ?? "") ?? {}) as Manifest;
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const named = packageFolder({ folder, workspace: parse(folder).root }, name);
      const at = named === null ? null : realpathSync(named);
      if (at !== null && !found.has(at)) {
        found.add(at);
        visit(at);
      }
    }
  }
}

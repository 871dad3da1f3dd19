// Tools look for configurations in the folders above an app, each in its own way. Above a private copy they find none.
import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { foldersUpFrom, isWithin } from "@evenbench/bundle/deployable";
import { isObject, type OwnAppRead, type OwnAppSource } from "@evenbench/core";
import { readOthersJson } from "@evenbench/core/user-file";
import { lt, minVersion, validRange } from "semver";
import type { Place } from "./install.ts";

/** Files at which searches end, by name: they say what tools take for granted where they find none. */
const ENDS: Readonly<Record<string, string>> = {
  ".postcssrc": "{}\n",
  "tsconfig.json": '{ "compilerOptions": { "target": "esnext" } }\n',
};

/** Makes the folder of a build, in which the searches of tools end that begin in its copy. */
export async function makeLastFolder(place: string, source: OwnAppSource): Promise<void> {
  await mkdir(place, { recursive: true });
  const { type } = manifestAbove(source) ?? {};
  // Node.js looks for the kind of a module there. Above an app that has one, yarn would take it for a workspace's.
  const ends = source.packageJson === null ? { ...ENDS, "package.json": JSON.stringify({ type }) } : ENDS;
  await Promise.all(Object.entries(ends).map(([name, text]) => writeFile(join(place, name), text)));
}

/** The package.json that counts for an app without one. */
interface ManifestAbove {
  /** Absolute path. */
  readonly file: string;
  /** The kind of its modules, such as "module"; undefined where it names none. */
  readonly type: "module" | "commonjs" | undefined;
  /** Its parts that the app has not in a private copy, such as "dependencies". */
  readonly lost: readonly string[];
}

/** Parts of a package.json by which a module finds others. */
const FINDS_MODULES = ["dependencies", "imports"];

/** Finds the package.json from which an app without one has the kind of its modules; null where there is none. */
export function manifestAbove({ folder, workspace, packageJson }: OwnAppSource): ManifestAbove | null {
  const files =
    packageJson === null ? foldersUpFrom(dirname(folder)).map((above) => join(above, "package.json")) : [];
  for (const file of files) {
    const content = readOthersJson(file);
    if (isObject(content)) {
      const { type } = content;
      const lost = isWithin(workspace, file) ? [] : FINDS_MODULES.filter((name) => name in content);
      return { file, type: type === "module" || type === "commonjs" ? type : undefined, lost };
    }
  }
  return null;
}

/** Says what of such a package.json counts. */
export function readAbove(source: OwnAppSource): readonly OwnAppRead[] {
  const found = manifestAbove(source);
  if (found === null) {
    return [];
  }
  const { file, type, lost } = found;
  const why = "the app's folder has no package.json of its own";
  return [
    {
      file: relative(source.folder, file),
      applied: type === undefined ? [] : [`type ${type}`],
      notApplied: lost.map((what) => ({ what, why })),
    },
  ];
}

/** Gives the variables by which tools know the last folder to look in. */
export function searchLimits({
  workspace,
  last = dirname(workspace),
}: Pick<Place, "workspace" | "last">): Readonly<Record<string, string>> {
  // The repository of a copy may begin above its workspace.
  return { GIT_CEILING_DIRECTORIES: last, BROWSERSLIST_ROOT_PATH: workspace };
}

/** Names by which Next.js looks for a configuration of PostCSS where it builds by webpack. Nothing ends that search. */
const POSTCSS_OF_NEXT = /^(?:\.postcssrc\.js(?:on)?|postcss\.config\.(?:json|[cm]?js))$/;

/** Names a configuration of PostCSS above a folder of builds that Next.js takes, since the app has none. */
export function foundAbove(builds: string, source: OwnAppSource): readonly OwnAppRead[] {
  const { workspace, folder, packageJson } = source;
  const own = foldersUpFrom(folder, workspace).flatMap(configurationsIn);
  const [found] = foldersUpFrom(dirname(builds)).flatMap(configurationsIn);
  if (
    !isBuiltByWebpack(source) ||
    "postcss" in (packageJson ?? {}) ||
    own.length > 0 ||
    found === undefined
  ) {
    return [];
  }
  return [
    { file: relative(folder, found), applied: [], notApplied: [{ what: "its content", why: IS_TAKEN }] },
  ];
}

const IS_TAKEN = "it lies above the private copies, where Next.js finds it; XDG_CACHE_HOME moves the copies";

/** The first version of Next.js that builds by Turbopack, unless its flag says otherwise. */
const BUILDS_BY_TURBOPACK = "16.0.0";

function isBuiltByWebpack({ packageJson, rangeOf }: OwnAppSource): boolean {
  const range = rangeOf("next");
  if (range === null) {
    return false;
  }
  const { build = "" } = packageJson?.scripts ?? {};
  const oldest = minVersion(validRange(range) ?? BUILDS_BY_TURBOPACK);
  return build.includes("--webpack") || (oldest !== null && lt(oldest, BUILDS_BY_TURBOPACK));
}

/** Lists the configurations of PostCSS in a folder; none where this user may not list it. */
function configurationsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => (POSTCSS_OF_NEXT.test(name) ? [join(folder, name)] : []));
  } catch {
    return [];
  }
}

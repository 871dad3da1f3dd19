import { join } from "node:path";
import { advising, type OwnAppRead, type OwnAppSource } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { satisfies, validRange } from "semver";

/** Files that name a version of Node.js, with where in them it stands. */
const VERSION_FILES: Readonly<Record<string, RegExp>> = {
  ".nvmrc": /^[^\S\n]*([^\s#]+)/m,
  ".node-version": /^[^\S\n]*([^\s#]+)/m,
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
  return pins.flatMap(({ file, what, range }) => (range === undefined ? [] : [pinOf(file, what, range)]));
}

/** Gives the version of Node.js among the runtimes that package.json wants for developing. */
function runtimeOf(packageJson: OwnAppSource["packageJson"]): string | undefined {
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

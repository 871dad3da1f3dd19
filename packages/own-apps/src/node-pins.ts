import { join, relative } from "node:path";
import { foldersUpFrom } from "@evenbench/bundle/deployable";
import { advising, isObject, type OwnAppRead, type OwnAppSource } from "@evenbench/core";
import { readIfThere, readOthersJson, readOthersText } from "@evenbench/core/user-file";
import { satisfies, validRange } from "semver";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { repositoryAbove } from "./ignored.ts";

/** Readers of the version of Node.js in the text of a file, by its name. They throw where it is none of its format. */
const FILE_PINS: Readonly<Record<string, (text: string) => unknown>> = {
  ".nvmrc": firstOf(/^[^\S\n]*([^\s#]+)/m),
  ".node-version": firstOf(/^[^\S\n]*([^\s#]+)/m),
  ".tool-versions": firstOf(/^node(?:js)?\s+(\S+)/m),
  "mise.toml": inMise,
  ".mise.toml": inMise,
  ".prototools": (text) => partOf(parseToml(text), "node"),
  ".npmrc": firstOf(/^\s*use-node-version\s*=\s*(\S+)/m),
  "pnpm-workspace.yaml": (text) => partOf(parseYaml(text), "useNodeVersion"),
};

function firstOf(pattern: RegExp): (text: string) => unknown {
  return (text) => pattern.exec(text)?.[1];
}

/** Several versions may be named there: the first is the one that runs. */
function inMise(text: string): unknown {
  const { node, nodejs = node } = Object(partOf(parseToml(text), "tools"));
  const [first] = [nodejs].flat();
  return partOf(first, "version") ?? first;
}

/**
 * Reads for which Node.js an app was written, in its own folder and in those above it up to the root of its repository:
 * of each kind the nearest counts. Evenbench's own builds and serves it.
 */
export function pinsOf({ packageJson, folder, root }: OwnAppSource): readonly OwnAppRead[] {
  const places = foldersUpFrom(folder, repositoryAbove(folder) ?? root);
  const manifests = places.map((place) =>
    place === folder ? packageJson : readOthersJson(join(place, "package.json")),
  );
  const inManifests = Object.entries(MANIFEST_PINS).map(([what, rangeIn]) => ({
    file: "package.json",
    what,
    ranges: manifests.map(rangeIn),
  }));
  // Above the app it may be anybody's.
  const textOf = (place: string, file: string) =>
    place === folder ? (readIfThere(join(place, file)) ?? "") : readOthersText(join(place, file));
  const inFiles = Object.entries(FILE_PINS).map(([file, versionIn]) => ({
    file,
    what: "its version",
    ranges: places.map((place) => rangeIn(textOf(place, file), versionIn)),
  }));
  return [...inManifests, ...inFiles].flatMap(({ file, what, ranges }) => {
    const nearest = ranges.findIndex((range) => typeof range === "string");
    const path = relative(folder, join(places[nearest] ?? folder, file));
    return nearest === -1 ? [] : [pinOf(path, what, String(ranges[nearest]))];
  });
}

/** Reads a version by a reader of its format. */
function rangeIn(text: string, versionIn: (text: string) => unknown): unknown {
  try {
    return versionIn(text);
  } catch {
    return "that cannot be read";
  }
}

/** Readers of the version of Node.js in a package.json, which may be of any form, by what they read. */
const MANIFEST_PINS: Readonly<Record<string, (manifest: unknown) => unknown>> = {
  "engines.node": (manifest) => partOf(manifest, "engines", "node"),
  "volta.node": (manifest) => partOf(manifest, "volta", "node"),
  "devEngines.runtime": (manifest) => {
    const runtimes = [partOf(manifest, "devEngines", "runtime")].flat();
    const ofNode = runtimes.find((runtime) => partOf(runtime, "name") === "node");
    return partOf(ofNode, "version");
  },
};

/** Gives a part of a part of an object; undefined where there is none. */
function partOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((part, name) => (isObject(part) ? part[name] : undefined), value);
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

import { readFile, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readSourceMaps, type SourceMaps } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";
import type { Owner } from "@evenbench/results";
import { TraceMap } from "@jridgewell/trace-mapping";
import type { CallFrame, CpuProfile } from "../cpu-profile.ts";
import { ownerOfRuntime } from "./owner-of-path.ts";
import { type OwnerAt, ownersIn, type Script } from "./script.ts";

export interface Attributed {
  readonly deployable: string;
  /** What the runtime is called: "Node.js", "workerd". */
  readonly runtime: string;
  /** Names of packages that stand between a platform and an app. */
  readonly adapters: readonly RegExp[];
}

export async function attribute(
  profile: CpuProfile,
  { deployable, runtime, adapters }: Attributed,
): Promise<Attribution> {
  const scripts = new Map<string, { path: string; ownerAt: OwnerAt }>();
  const root = await realpath(deployable);
  const maps = await readSourceMaps(deployable);
  for (const url of new Set(profile.nodes.map(({ callFrame }) => callFrame.url))) {
    if (ownerOfRuntime(url, runtime) !== null) continue;
    const script = await readScript(url, root, maps);
    if (script !== null) scripts.set(url, { path: script.path, ownerAt: ownersIn(script) });
  }
  return {
    ownerOf({ url, lineNumber, columnNumber }) {
      const owner = ownerOfRuntime(url, runtime) ??
        scripts.get(url)?.ownerAt(lineNumber, columnNumber) ?? { kind: "unattributed", name: "unattributed" };
      const isAdapter = owner.kind === "package" && adapters.some((pattern) => pattern.test(owner.name));
      return isAdapter ? { ...owner, kind: "adapter" } : owner;
    },
    fileOf: (url) => scripts.get(url)?.path ?? url,
  };
}

async function readScript(url: string, root: string, maps: SourceMaps): Promise<Script | null> {
  for (const file of filesOf(url, root)) {
    const source = await readText(file);
    if (source === null) continue;
    const inside = within(root, file);
    const path = (inside ?? within(repositoryRoot, file) ?? file).split(sep).join("/");
    const map = inside === null ? undefined : maps[path];
    return { path, source, map: map === undefined ? null : new TraceMap(map) };
  }
  return null;
}

/** Where the file of a script may lie: workerd names modules as they were uploaded. */
function filesOf(url: string, root: string): readonly string[] {
  if (url.startsWith("file:")) return [fileURLToPath(url)];
  if (isAbsolute(url)) return [url];
  return [join(root, "upload", url), join(root, url)];
}

function within(folder: string, file: string): string | null {
  const path = relative(folder, file);
  return path.startsWith("..") || isAbsolute(path) ? null : path;
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch {
    return null;
  }
}

export interface Attribution {
  ownerOf(frame: CallFrame): Owner;
  fileOf(url: string): string;
}

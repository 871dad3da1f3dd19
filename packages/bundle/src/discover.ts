import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { whyNoId } from "@evenbench/core";
import type { LeftOut } from "@evenbench/host";

/** Absolute path of packages/cases. */
export const casesDirectory: string = fileURLToPath(new URL("../../cases", import.meta.url));
const appsDirectory = fileURLToPath(new URL("../../../apps", import.meta.url));

/** A folder with a `case.ts`. */
export interface FoundCase {
  readonly id: string;
  /** Absolute path of its `case.ts`. */
  readonly path: string;
}

const otherApps = globSync("*/app.ts", { cwd: appsDirectory }).map(dirname);

/**
 * Says why an id cannot be a handler case's; null where it can. Ids that begin with another app's id are that app's.
 */
export function whyNoCaseId(id: string): string | null {
  const reason = whyNoId(id, "Case");
  if (reason !== null) {
    return reason;
  }
  if (id === "identity") {
    return `the id "${id}" is taken by the handler; name the folder otherwise`;
  }
  const owner = otherApps.find((app) => id === app || id.startsWith(`${app}-`));
  if (owner === undefined) {
    return null;
  }
  return `ids that begin with "${owner}" are those of the app in apps/${owner}, and an id must not be there twice; name the folder otherwise`;
}

/** The cases of a folder, and the folders in it that are none. */
export interface DiscoveredCases {
  readonly cases: readonly FoundCase[];
  /** Folders that cannot be cases. */
  readonly failures: readonly LeftOut[];
}

/** Finds all folders with a `case.ts`, by name. */
export function discoverCases(directory: string = casesDirectory): DiscoveredCases {
  const cases: FoundCase[] = [];
  const failures: LeftOut[] = [];
  const ids = globSync("*/case.ts", { cwd: directory }).map(dirname);
  for (const id of ids.sort()) {
    const path = join(directory, id, "case.ts");
    const reason = whyNoCaseId(id);
    if (reason === null) {
      cases.push({ id, path });
    } else {
      failures.push({ path, reason });
    }
  }
  return { cases, failures };
}

import { existsSync, globSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { whyNoId } from "@evenbench/core";

export const casesDirectory = fileURLToPath(new URL("../../cases", import.meta.url));
const appsDirectory = fileURLToPath(new URL("../../../apps", import.meta.url));

export interface FoundCase {
  readonly id: string;
  readonly path: string;
}

export interface CaseFailure {
  readonly path: string;
  readonly reason: string;
}

const apps = globSync("*/app.ts", { cwd: appsDirectory }).map(dirname);

/** Ids that begin with the id of another app are its own. */
export function whyNoCaseId(id: string): string | null {
  const reason = whyNoId(id, "Case");
  if (reason !== null) return reason;
  if (id === "identity") return `the id "${id}" is taken by the handler; name the folder otherwise`;
  const owner = apps.find((app) => id === app || id.startsWith(`${app}-`));
  if (owner === undefined) return null;
  return `ids that begin with "${owner}" are those of the app in apps/${owner}, and an id must not be there twice; name the folder otherwise`;
}

export async function discoverCases(
  directory: string = casesDirectory,
): Promise<{ cases: FoundCase[]; failures: CaseFailure[]; skipped: string[] }> {
  const cases: FoundCase[] = [];
  const failures: CaseFailure[] = [];
  const skipped: string[] = [];
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  for (const name of names.sort()) {
    if (name === "node_modules" || name.startsWith(".")) continue;
    const folder = join(directory, name);
    const path = join(folder, "case.ts");
    if (!existsSync(path)) {
      const contents = await readdir(folder);
      if (contents.some((content) => content !== "node_modules")) skipped.push(folder);
      continue;
    }
    const reason = whyNoCaseId(name);
    if (reason === null) cases.push({ id: name, path });
    else failures.push({ path, reason });
  }
  return { cases, failures, skipped };
}

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertId } from "@evenbench/core";

export const casesDirectory = fileURLToPath(new URL("../../cases", import.meta.url));

/** A folder that holds a case. */
export interface FoundCase {
  readonly id: string;
  /** Absolute path of its case.ts. */
  readonly path: string;
}

/** Something that cannot become a case, in one line. */
export interface CaseFailure {
  readonly path: string;
  readonly reason: string;
}

/**
 * Finds the cases: every folder with a `case.ts`; its name is the id. Sorted by id.
 *
 * @returns the cases, and the folders whose name is no id. A folder without a `case.ts` is listed as `skipped`,
 *   unless it holds nothing but installed packages (what a branch with another case left behind).
 */
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
    try {
      assertId(name, "Case");
      cases.push({ id: name, path });
    } catch (error) {
      failures.push({ path, reason: (error as Error).message });
    }
  }
  return { cases, failures, skipped };
}

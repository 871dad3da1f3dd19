import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { namedPath } from "@evenbench/bundle/deployable";
import { messageOf, type OwnAppBuild } from "@evenbench/core";
import type { OwnConfiguration } from "./own-configuration.ts";
import { wranglerProgram } from "./wrangler.ts";

/** The folder of a deployable, from it on, in which storage lies that each start begins with. */
const STORAGE = "storage";

/** The folder of migrations where a configuration names none, as for wrangler. */
const USUAL_FOLDER = "migrations";

/** Gives the absolute path of the storage that each start of a deployable begins with; null where that is empty. */
export function storageOf(deployable: string): string | null {
  // Wrangler puts the simulators' folder below one for their version.
  const found = join(deployable, STORAGE, "v3");
  return existsSync(found) ? found : null;
}

/** Applies the migrations of an app's D1 databases by wrangler, as for `wrangler dev`. One that fails costs nothing else. */
export async function applyMigrations(
  { run, note, workspace }: OwnAppBuild,
  { file, folder, local }: OwnConfiguration,
  deployable: string,
): Promise<void> {
  for (const { binding, migrations_dir: migrations = USUAL_FOLDER } of local.d1_databases ?? []) {
    const named = ["--config", join(folder, basename(file))];
    const options = ["--local", "--persist-to", join(deployable, STORAGE), ...named];
    const program = [process.execPath, wranglerProgram(), "d1", "migrations", "apply"] as const;
    const env = { WRANGLER_SEND_METRICS: "false", CI: "1" };
    try {
      if (!existsSync(namedPath({ file, named: migrations, from: folder, within: workspace }))) {
        continue;
      }
      await run("wrangler d1 migrations apply", [...program, binding, ...options], { cwd: folder, env });
      note(`The D1 database ${binding} has what ${migrations}/ makes.`);
    } catch (error) {
      note(`The D1 database ${binding} is empty: ${messageOf(error).split("\n")[0]}`);
    }
  }
}

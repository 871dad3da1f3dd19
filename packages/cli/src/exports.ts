// The files of --export.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EXPORTS, type Facts } from "@evenbench/report";
import { writeWhole } from "@evenbench/results";
import { checksOf } from "./gate.ts";
import type { OutputOptions } from "./options.ts";
import { sayNote } from "./say.ts";

/** Writes the files that `--export` asks for. @param folder where those lie that nobody gave another place. */
export async function writeExports(facts: Facts, options: OutputOptions, folder: string): Promise<void> {
  for (const { format, file } of options.export ?? []) {
    const form = EXPORTS[format];
    const path = file ?? join(folder, form.file);
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, form.render(facts, checksOf(facts, options)));
    sayNote(`Exported: ${path}`);
  }
}

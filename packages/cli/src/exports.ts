// The files of --export.
import { dirname, join } from "node:path";
import { makeFolder } from "@evenbench/core/make-folder";
import { EXPORTS, type Facts } from "@evenbench/report";
import { writeInto, writeWhole } from "@evenbench/results";
import { checksOf } from "./gate.ts";
import type { OutputOptions } from "./options.ts";
import { sayNote } from "./say.ts";

/** Writes the files that `--export` asks for. @param folder where those lie that nobody gave another place. */
export async function writeExports(facts: Facts, options: OutputOptions, folder: string): Promise<void> {
  for (const { format, file } of options.export ?? []) {
    const form = EXPORTS[format];
    const path = file ?? join(folder, form.file);
    const write = file === null ? writeWhole : writeInto;
    makeFolder(dirname(path));
    await write(path, form.render(facts, checksOf(facts, options)));
    sayNote(`Exported: ${path}`);
  }
}

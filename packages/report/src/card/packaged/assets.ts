import { fileURLToPath } from "node:url";
import { FONTS } from "../card-files.ts";
import { fontFiles } from "../font-files.ts";

/** The files that the published package must bring along for its pictures, by their names in it. */
export function cardAssets(): ReadonlyMap<string, string> {
  const fonts = fontFiles().map(
    ({ file }) => [`fonts/${file}`, fileURLToPath(new URL(file, FONTS))] as const,
  );
  const program = fileURLToPath(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm"));
  return new Map([...fonts, ["resvg.wasm", program]]);
}

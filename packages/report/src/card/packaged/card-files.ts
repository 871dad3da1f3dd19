// Takes the place of ../card-files.ts in the published package, which has no native code: it runs on every
// system as it is.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

const folder = pathToFileURL(createRequire(import.meta.url).resolve("evenbench/package.json"));

export const FONTS = new URL("fonts/", folder);

let ready: Promise<void> | undefined;

export async function pngOf(svg: string): Promise<Buffer> {
  ready ??= readFile(new URL("resvg.wasm", folder)).then((bytes) => initWasm(bytes));
  await ready;
  const image = new Resvg(svg, { font: { loadSystemFonts: false } }).render();
  return Buffer.from(image.asPng());
}

import { Resvg } from "@resvg/resvg-js";

/** The folder of the font's files. */
export const FONTS = new URL("files/", import.meta.resolve("@fontsource/inter/package.json"));

/** The picture of an SVG whose letters are outlines. */
export async function pngOf(svg: string): Promise<Buffer> {
  return new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng();
}

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { terminalLine } from "@evenbench/core";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

export const WIDTH = 1200;
export const HEIGHT = 630;

const PROGRAM = "@resvg/resvg-wasm/index_bg.wasm";
const FONTS = ["400Regular/Inter_400Regular.ttf", "700Bold/Inter_700Bold.ttf"];

/** The files that the published package must bring along for its pictures, by their names in it. */
export function cardAssets(): ReadonlyMap<string, string> {
  return new Map([...FONTS, PROGRAM].map((file) => [`card/${basename(file)}`, installed(file)]));
}

function installed(file: string): string {
  if (file === PROGRAM) return fileURLToPath(import.meta.resolve(file));
  return fileURLToPath(new URL(file, import.meta.resolve("@expo-google-fonts/inter/package.json")));
}

/** The published package has the files beside it, and none of what they come from. */
function readAsset(file: string): Promise<Buffer> {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("evenbench/package.json"));
    const packaged = join(folder, "card", basename(file));
    if (existsSync(packaged)) return readFile(packaged);
  } catch {}
  return readFile(installed(file));
}

let ready: Promise<readonly Uint8Array[]> | undefined;

async function prepare(): Promise<readonly Uint8Array[]> {
  await initWasm(readAsset(PROGRAM));
  return Promise.all(FONTS.map(readAsset));
}

/** Draws with the font that comes along, so that a picture is the same wherever it is made. */
export async function pngOf(svg: string): Promise<Buffer> {
  ready ??= prepare();
  const fontBuffers = [...(await ready)];
  const font = { loadSystemFonts: false, fontBuffers, defaultFontFamily: "Inter" };
  return Buffer.from(new Resvg(svg, { font }).render().asPng());
}

/** Widths of the font's letters as parts of its size, a little more than they are. */
const WIDTHS: readonly (readonly [letters: RegExp, width: number])[] = [
  [/[ijlI.,'’|:;!() ]/, 0.3],
  [/[frt\-/"“”[\]]/, 0.4],
  [/[mwMW%@—]/, 0.9],
  [/[A-ZА-ЯΑ-Ω…]/, 0.72],
];

export function widthOf(text: string, size: number, weight = 400): number {
  const units = Array.from(
    text,
    (letter) => WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? (letter > "\u2e80" ? 1 : 0.61),
  );
  return units.reduce((sum, width) => sum + width, 0) * size * (weight > 400 ? 1.05 : 1);
}

export function cut(words: string, room: number, size: number, weight = 400): string {
  const text = terminalLine(words);
  if (widthOf(text, size, weight) <= room) return text;
  let end = text.length;
  while (end > 0 && widthOf(`${text.slice(0, end)}…`, size, weight) > room) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** What has no room in so many lines is told by "…". */
export function firstLines(lines: readonly string[], most: number, room: number, size: number, weight = 400) {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), cut(lines.slice(most - 1).join(" "), room, size, weight)];
}

export function linesOf(text: string, room: number, size: number, weight = 400): readonly string[] {
  const lines = [""];
  const fits = (line: string) => widthOf(line, size, weight) <= room;
  const partsOf = (word: string): readonly string[] => {
    const end = Array.from(word).findIndex((_, index) => !fits(word.slice(0, index + 1)));
    return end <= 0 ? [word] : [word.slice(0, end), ...partsOf(word.slice(end))];
  };
  for (const part of terminalLine(text).split(" ").flatMap(partsOf)) {
    const longer = `${lines.at(-1)} ${part}`.trimStart();
    if (fits(longer)) lines.pop();
    lines.push(fits(longer) ? longer : part);
  }
  return lines;
}

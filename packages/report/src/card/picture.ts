import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { terminalLine } from "@evenbench/core";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { encodePng } from "./png.ts";

/** Width of the picture in pixels: the size that sites show of links (https://ogp.me, 1.91 : 1). */
export const PICTURE_WIDTH = 1200;
/** Height of the picture in pixels. */
export const PICTURE_HEIGHT = 630;

/** The module that draws, within its package. */
const RENDERER_PROGRAM = "@resvg/resvg-wasm/index_bg.wasm";
/** The files of the pictures' font, within their package. */
const FONTS = ["400Regular/Inter_400Regular.ttf", "700Bold/Inter_700Bold.ttf"];

/** Lists the files that the published package brings along for its pictures: absolute paths, by their names in it. */
export function cardAssets(): ReadonlyMap<string, string> {
  return new Map([...FONTS, RENDERER_PROGRAM].map((file) => [`card/${basename(file)}`, installed(file)]));
}

function installed(file: string): string {
  if (file === RENDERER_PROGRAM) {
    return fileURLToPath(import.meta.resolve(file));
  }
  return fileURLToPath(new URL(file, import.meta.resolve("@expo-google-fonts/inter/package.json")));
}

/** Finds a file of the published package by its place in it: its absolute path; null where this is not the package. */
function packagedFile(path: string): string | null {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("evenbench/package.json"));
    const file = join(folder, path);
    return existsSync(file) ? file : null;
  } catch {
    return null;
  }
}

/** Reads a file of those. The published package has them beside it, and none of the packages that they come from. */
function readAsset(file: string): Promise<Buffer> {
  return readFile(packagedFile(`card/${basename(file)}`) ?? installed(file));
}

/** The fonts, once the module that draws is loaded. */
let ready: Promise<readonly Uint8Array[]> | undefined;

async function loadRenderer(): Promise<readonly Uint8Array[]> {
  await initWasm(readAsset(RENDERER_PROGRAM));
  return Promise.all(FONTS.map(readAsset));
}

/** Draws an SVG as PNG, with the font that comes along: the same pixels wherever it is made. */
export async function pngOf(svg: string): Promise<Buffer> {
  ready ??= loadRenderer();
  const fontBuffers = [...(await ready)];
  const font = { loadSystemFonts: false, fontBuffers, defaultFontFamily: "Inter" };
  const drawing = new Resvg(svg, { font });
  const picture = drawing.render();
  const { pixels, width } = picture;
  // Their memory is the module's own, which no collector sees: a gallery draws hundreds.
  picture.free();
  drawing.free();
  // The module takes three times as long to write it.
  const png = encodePng(pixels, width);
  // Frees 3 MB now: the collector would wait for twenty pictures.
  (pixels.buffer as ArrayBuffer).transfer(0);
  return png;
}

/** Widths of the font's letters as parts of its size, a little more than they are. */
const WIDTHS: readonly (readonly [letters: RegExp, width: number])[] = [
  [/[ijlI.,'’|:;!() ]/, 0.3],
  [/[frt\-/"“”[\]]/, 0.4],
  [/[mwMW%@—]/, 0.9],
  [/[A-ZА-ЯΑ-Ω…]/, 0.72],
];

function letterWidthOf(letter: string): number {
  return WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? (letter > "\u2e80" ? 1 : 0.61);
}

/** Estimates how wide letters of a size and weight are, as a factor of their units. */
function letterScale(size: number, weight: number): number {
  return size * (weight > 400 ? 1.05 : 1);
}

/** Estimates the width of a text in the units of `size`, a little more than it is. */
export function widthOf(text: string, size: number, weight = 400): number {
  let units = 0;
  for (const letter of text) {
    units += letterWidthOf(letter);
  }
  return units * letterScale(size, weight);
}

/** Counts the characters from the start of a text that have room. No letter is cut in two. */
function lengthWithin(text: string, room: number, size: number, weight: number): number {
  const scale = letterScale(size, weight);
  let width = 0;
  let length = 0;
  for (const letter of text) {
    width += letterWidthOf(letter) * scale;
    if (width > room) {
      return length;
    }
    length += letter.length;
  }
  return length;
}

/** Writes a text as one line, with "…" in place of what has no room. */
export function cutToRoom(words: string, room: number, size: number, weight = 400): string {
  const text = terminalLine(words);
  if (lengthWithin(text, room, size, weight) === text.length) {
    return text;
  }
  const end = lengthWithin(text, room - widthOf("…", size, weight), size, weight);
  return `${text.slice(0, end).trimEnd()}…`;
}

/** Keeps at most so many lines; "…" stands in place of what has no room. */
export function firstLines(
  lines: readonly string[],
  most: number,
  room: number,
  size: number,
  weight = 400,
): readonly string[] {
  if (lines.length <= most) {
    return lines;
  }
  return [...lines.slice(0, most - 1), cutToRoom(lines.slice(most - 1).join(" "), room, size, weight)];
}

/** Breaks a word into parts that have room, each of one letter at least. */
function wordParts(word: string, room: number, size: number, weight: number): readonly string[] {
  const parts: string[] = [];
  let rest = word;
  while (rest !== "") {
    const [first = ""] = rest;
    const end = Math.max(first.length, lengthWithin(rest, room, size, weight));
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return parts;
}

/** Breaks a text into lines that have room; words that are longer than a line are broken. */
export function linesInRoom(text: string, room: number, size: number, weight = 400): readonly string[] {
  const space = widthOf(" ", size, weight);
  const lines: string[] = [];
  let line = "";
  let width = 0;
  for (const word of terminalLine(text).split(" ")) {
    for (const part of wordParts(word, room, size, weight)) {
      const partWidth = widthOf(part, size, weight);
      if (line === "") {
        line = part;
        width = partWidth;
      } else if (width + space + partWidth <= room) {
        line += ` ${part}`;
        width += space + partWidth;
      } else {
        lines.push(line);
        line = part;
        width = partWidth;
      }
    }
  }
  return [...lines, line];
}

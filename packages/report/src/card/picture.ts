import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

export const WIDTH = 1200;
export const HEIGHT = 630;

const SCRIPTS = ["latin", "latin-ext", "greek", "cyrillic", "vietnamese"];
const FONTS = SCRIPTS.flatMap((script) =>
  [400, 700].map((weight) => `inter-${script}-${weight}-normal.woff`),
);
const PROGRAM = "index_bg.wasm";

/** The files that the published package must bring along for its pictures, by their names in it. */
export function cardAssets(): ReadonlyMap<string, string> {
  return new Map([...FONTS, PROGRAM].map((name) => [`card/${name}`, fileURLToPath(installed(name))]));
}

function installed(name: string): string {
  if (name === PROGRAM) return import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm");
  return new URL(`files/${name}`, import.meta.resolve("@fontsource/inter/package.json")).href;
}

/** The published package has the files beside it, and none of what they come from. */
function assetOf(name: string): URL {
  try {
    const folder = pathToFileURL(createRequire(import.meta.url).resolve("evenbench/package.json"));
    const own = new URL(`card/${name}`, folder);
    if (existsSync(own)) return own;
  } catch {}
  return new URL(installed(name));
}

let ready: Promise<readonly Uint8Array[]> | undefined;

async function prepare(): Promise<readonly Uint8Array[]> {
  await initWasm(readFile(assetOf(PROGRAM)));
  return Promise.all(FONTS.map(async (name) => unpackWoff(await readFile(assetOf(name)))));
}

/** Draws with the font that comes along, so that a picture is the same wherever it is made. */
export async function pngOf(svg: string): Promise<Buffer> {
  ready ??= prepare();
  const fontBuffers = [...(await ready)];
  const font = { loadSystemFonts: false, fontBuffers, defaultFontFamily: "Inter" };
  return Buffer.from(new Resvg(svg, { font }).render().asPng());
}

/** WOFF is SFNT, the one form that resvg reads, with each table deflated by itself (W3C, WOFF File Format 1.0). */
function unpackWoff(woff: Buffer): Uint8Array {
  const count = woff.readUInt16BE(12);
  const font = Buffer.alloc(woff.readUInt32BE(16));
  woff.copy(font, 0, 4, 8);
  font.writeUInt16BE(count, 4);
  const selector = Math.floor(Math.log2(count));
  font.writeUInt16BE(16 * 2 ** selector, 6);
  font.writeUInt16BE(selector, 8);
  font.writeUInt16BE(16 * (count - 2 ** selector), 10);
  let at = 12 + 16 * count;
  for (let index = 0; index < count; index++) {
    const [from, to] = [44 + 20 * index, 12 + 16 * index];
    const [offset, packed, length] = [4, 8, 12].map((field) => woff.readUInt32BE(from + field)) as [
      number,
      number,
      number,
    ];
    const table = woff.subarray(offset, offset + packed);
    woff.copy(font, to, from, from + 4);
    woff.copy(font, to + 4, from + 16, from + 20);
    font.writeUInt32BE(at, to + 8);
    font.writeUInt32BE(length, to + 12);
    font.set(packed < length ? inflateSync(table) : table, at);
    at += Math.ceil(length / 4) * 4;
  }
  return font;
}

/** Widths of the font's letters as parts of its size, a little more than they are. */
const WIDTHS: readonly (readonly [letters: RegExp, width: number])[] = [
  [/[ijlI.,'’|:;!() ]/, 0.3],
  [/[frt\-/"“”[\]]/, 0.4],
  [/[mwMW%@—]/, 0.9],
  [/[A-ZА-ЯΑ-Ω…]/, 0.72],
];

export function widthOf(text: string, size: number, weight = 400): number {
  const units = [...text].reduce(
    (sum, letter) =>
      sum + (WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? (letter > "\u2e80" ? 1 : 0.61)),
    0,
  );
  return units * size * (weight > 400 ? 1.05 : 1);
}

export function cut(text: string, room: number, size: number): string {
  if (widthOf(text, size) <= room) return text;
  let end = text.length;
  while (end > 0 && widthOf(`${text.slice(0, end)}…`, size) > room) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

export function linesOf(text: string, room: number, size: number, weight = 400): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer, size, weight) <= room) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    while (widthOf(word, size, weight) > room) {
      let end = word.length;
      while (end > 1 && widthOf(word.slice(0, end), size, weight) > room) end -= 1;
      lines.push(word.slice(0, end));
      word = word.slice(end);
    }
    line = word;
  }
  return [...lines, line];
}

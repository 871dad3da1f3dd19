import { styleText } from "node:util";
import { terminalLine } from "@evenbench/core";
import stringWidth from "string-width";
import { unbroken } from "./format.ts";
import { type Table, textOf, textTable } from "./table.ts";

/** Columns of a line where a stream has no size, and the largest number of them. */
const DEFAULT_WIDTH = 100;

/** How text is written for a terminal. */
export interface TerminalOptions {
  /** Columns that a line may have. */
  readonly width: number;
  /** True where text gets ANSI colours. */
  readonly color: boolean;
}

/** A style that `util.styleText` knows, or several of them: Node.js's types have no name for it. */
type TerminalStyle = Parameters<typeof styleText>[0];

/** Writes a text in a style, or as it is where colours are not wanted. */
export type Paint = (style: TerminalStyle, text: string) => string;

/** Makes a function that paints texts, by ANSI escape sequences, where colours are wanted. */
export function paintIf(color: boolean): Paint {
  return (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
}

/**
 * Finds out how to write for a stream: the width of its terminal in columns (one without a size says 0), and whether
 * it gets colours: on a terminal that is not dumb, unless NO_COLOR is set (no-color.org). FORCE_COLOR decides by
 * itself, as in Node.js.
 */
export function terminalOptions(
  stream: NodeJS.WriteStream = process.stdout,
  environment = process.env,
): TerminalOptions {
  const { FORCE_COLOR, NO_COLOR = "", TERM } = environment;
  const usual = stream.isTTY === true && NO_COLOR === "" && TERM !== "dumb";
  const color = FORCE_COLOR === undefined ? usual : !["0", "false"].includes(FORCE_COLOR);
  return { width: Math.min(stream.columns || DEFAULT_WIDTH, DEFAULT_WIDTH), color };
}

/**
 * Breaks a text into lines for a terminal. Control characters are removed. A word that is longer than a line, or a text
 * of a language without blanks, is broken where the line ends.
 *
 * @param indent blanks before all lines but the first.
 */
export function wrap(words: string, width: number, indent: number): readonly string[] {
  const text = terminalLine(words);
  const lines: string[] = [];
  let line = (/^ */.exec(text)?.[0] ?? "").slice(0, Math.floor(width / 2));
  for (const word of unbroken(text.trim()).split(" ")) {
    const separator = line.trim() === "" ? "" : " ";
    if (stringWidth(line + separator + word) <= width) {
      line += separator + word;
      continue;
    }
    if (line.trim() !== "") {
      lines.push(line.trimEnd());
      line = " ".repeat(indent);
    }
    const [last = "", ...full] = piecesOf(line + word, width, indent).toReversed();
    lines.push(...full.toReversed());
    line = last;
  }
  return [...lines, line].map((text) => text.replaceAll("\u00a0", " "));
}

/** Breaks a text wherever a line is full, with blanks before all pieces but the first. */
function piecesOf(text: string, width: number, indent: number): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const character of text) {
    if (piece.trim() !== "" && stringWidth(piece + character) > width) {
      pieces.push(piece);
      piece = " ".repeat(indent);
    }
    piece += character;
  }
  return [...pieces, piece];
}

/**
 * The table for a terminal, in lines of at most `width` columns: what is wider goes below it as a table of its own,
 * with the first columns again. Where a single column is wider, each row is a list of its cells.
 *
 * @param keys how many of the first columns say what a row is of.
 */
export function fittedTable(table: Table, width: number, keys = 1): readonly string[] {
  const { head, rows, numeric = [] } = table;
  const columns = head.map((_, column) => column);
  const linesOf = (shown: readonly number[]): readonly string[] =>
    textTable({
      head: shown.map((column) => head[column] ?? ""),
      rows: rows.map((cells) => shown.map((column) => cells[column] ?? "")),
      numeric: shown.flatMap((column, place) => (numeric.includes(column) ? place : [])),
    });
  const fits = (shown: readonly number[]): boolean =>
    linesOf(shown).every((line) => stringWidth(line) <= width);
  const keyColumns = columns.slice(0, keys);
  const blocks: number[][] = [];
  let block: number[] = [];
  for (const column of columns.slice(keys)) {
    if (block.length > 0 && !fits([...keyColumns, ...block, column])) {
      blocks.push(block);
      block = [];
    }
    block.push(column);
  }
  blocks.push(block);
  if (!blocks.every((shown) => fits([...keyColumns, ...shown]))) {
    return listOfRows(table, width);
  }
  return blocks.flatMap((shown, index) => [
    ...(index === 0 ? [] : [""]),
    ...linesOf([...keyColumns, ...shown]),
  ]);
}

/** Writes each row of a table as its first cell, with the others below it behind the names of their columns. */
function listOfRows({ head, rows }: Table, width: number): readonly string[] {
  return rows.flatMap(([first = "", ...cells]) => [
    ...wrap(textOf(first), width, 2),
    ...cells.flatMap((cell, index) => {
      const name = textOf(head[index + 1] ?? "");
      return textOf(cell) === "" ? [] : wrap(`  ${name}: ${textOf(cell)}`, width, 4);
    }),
  ]);
}

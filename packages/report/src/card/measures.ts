import type { CardContent } from "./content.ts";
import { HEIGHT, WIDTH } from "./look.ts";

// The layout engine breaks lines by the font itself. These are what must be known before: how large things
// may be. In pixels.

export const PADDING = { top: 36, side: 48, bottom: 30 };
const INNER = WIDTH - 2 * PADDING.side;
/** Everything but the answer and the rows: padding, question, axis, key and foot, where these have a line each. */
const REST = 248;
/** Of the key and of the command, which have two at most. */
const SMALL = 14;
const SMALL_LINE = 18;
/** Letters of what the key says beside names, and the space of each name's dot. */
const KEY_LETTERS = 100;
const KEY_DOT = 34;
const COMMAND_WIDTH = 800;
/** Mean width of a letter, as a part of the font's size. */
const LETTER = 0.55;
const ANSWER_LINE = 1.32;
export const ANSWER_LINES = 4;
const ANSWER_SIZES = [34, 30, 27, 24, 21, 19];
/** Below these a row, and one platform's line in it, cannot be read. */
const LEAST_ROW = 22;
const LEAST_LINE = 8;
/** From this height on a line has its numbers beside it. */
const LINE_WITH_TEXT = 14.5;

export interface Measures {
  /** Of the answer's letters. */
  readonly answer: number;
  readonly columns: 1 | 2;
  /** Rows of a column; what is beyond all columns has no room. */
  readonly rowsInColumn: number;
  readonly rowHeight: number;
  readonly dot: number;
  readonly label: number;
  /** Of the numbers beside a line; null where these have no room. */
  readonly numbers: { readonly size: number; readonly width: number } | null;
}

/** How large everything of a card is, so that it fits. */
export function measure(content: CardContent): Measures {
  const { answer: sentence, rows, platforms } = content;
  const answer = ANSWER_SIZES.find((size) => linesOf(sentence, size) <= 3) ?? ANSWER_SIZES.at(-1) ?? 0;
  const answerHeight = Math.min(ANSWER_LINES, linesOf(sentence, answer)) * answer * ANSWER_LINE;
  const height = HEIGHT - REST - answerHeight - secondLines(content) * SMALL_LINE;
  const most = Math.max(1, Math.floor(height / Math.max(LEAST_ROW, platforms.length * LEAST_LINE + 6)));
  const columns = rows.length > most ? 2 : 1;
  const rowsInColumn = Math.min(most, Math.ceil(rows.length / columns));
  const rowHeight = Math.min(height / Math.max(1, rowsInColumn), 24 + platforms.length * 44);
  const line = (rowHeight - 6) / Math.max(1, platforms.length);
  const size = between(12, line * 0.8, 19);
  const longest = Math.max(0, ...rows.flatMap(({ marks }) => marks.map(({ text }) => text.length)));
  return {
    answer,
    columns,
    rowsInColumn,
    rowHeight,
    dot: Math.round(between(7, line * 0.62, 17)),
    label: Math.round(between(13, rowHeight * 0.38, 22)),
    numbers:
      columns === 1 && line >= LINE_WITH_TEXT
        ? { size, width: Math.ceil(longest * size * LETTER + 20) }
        : null,
  };
}

/** How many of key and command need their second line. */
function secondLines({ platforms, command }: CardContent): number {
  const key = platforms.reduce((sum, { name }) => sum + name.length * SMALL * LETTER + KEY_DOT, 0);
  const isLong = key + KEY_LETTERS * SMALL * LETTER > INNER;
  return (isLong ? 1 : 0) + (command.length * SMALL * LETTER > COMMAND_WIDTH ? 1 : 0);
}

function linesOf(sentence: string, size: number): number {
  return Math.ceil((sentence.length * size * LETTER) / INNER);
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

import { expect, test } from "vitest";
import { fittedTable, terminalOptions, wrap } from "./terminal.ts";

const stream = (isTTY: boolean, columns?: number) => ({ isTTY, columns }) as NodeJS.WriteStream;

test.each([
  [false, {}, false],
  [true, { NO_COLOR: "" }, true],
  [true, { NO_COLOR: "1" }, false],
  [true, { TERM: "dumb" }, false],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "1", NO_COLOR: "1", TERM: "dumb" }, true],
])(
  "whether colours are written on a terminal (%s) with the variables %j: %s",
  (isTTY, environment, color) => {
    expect(terminalOptions(stream(isTTY), environment)).toMatchObject({ color });
  },
);

test("the width is the terminal's, up to 100 columns, which is also that of a stream without one", () => {
  const widths = [34, 400, 0, undefined].map((columns) => terminalOptions(stream(true, columns), {}).width);
  expect(widths).toEqual([34, 100, 100, 100]);
});

test("a table that is wider than the terminal goes on below, with the columns that say what a row is of", () => {
  const head = ["case", "target", "before", "after", "verdict"];
  const table = { head, rows: [["trig", "node", "30 ms", "31 ms", "same"]], numeric: [2, 3] };
  expect(fittedTable(table, 80, 2)).toEqual([
    "case  target  before  after  verdict",
    "trig  node     30 ms  31 ms  same",
  ]);
  expect(fittedTable(table, 30, 2)).toEqual([
    "case  target  before  after",
    "trig  node     30 ms  31 ms",
    "",
    "case  target  verdict",
    "trig  node    same",
  ]);
});

test("where a single column is wider than the terminal, each row is a list", () => {
  const table = { head: ["case", "target"], rows: [["trig", "a name that is long"]] };
  expect(fittedTable(table, 20)).toEqual(["trig", "  target: a name", "    that is long"]);
});

test("columns are as wide as a terminal draws them, also of other alphabets", () => {
  const table = {
    head: ["case", "time"],
    rows: [
      ["日本語", "1 ms"],
      ["trig", "2 ms"],
    ],
  };
  expect(fittedTable(table, 80)).toEqual(["case    time", "日本語  1 ms", "trig    2 ms"]);
});

test("a text without blanks is broken where the line ends, and no other word is", () => {
  expect(wrap(`${" ".repeat(99_999)}end`, 8, 2)).toEqual(["    end"]);
  expect(wrap("日本語日本語", 6, 0)).toEqual(["日本語", "日本語"]);
  expect(wrap(`see ${"x".repeat(11)} end`, 8, 2)).toEqual(["see", "  xxxxxx", "  xxxxx", "  end"]);
});

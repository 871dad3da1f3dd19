import { expect, test } from "vitest";
import { terminalOptions } from "./terminal.ts";

const stream = (isTTY: boolean, columns?: number) => ({ isTTY, columns }) as NodeJS.WriteStream;

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: "" }, true],
  [true, { NO_COLOR: "1" }, false],
  [true, { TERM: "dumb" }, false],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "1", NO_COLOR: "1", TERM: "dumb" }, true],
])("on a terminal: %s, with %j, colours: %s", (isTTY, environment, color) => {
  expect(terminalOptions(stream(isTTY), environment)).toMatchObject({ color });
});

test("the width is the terminal's, up to 100 columns, which is also that of a stream without one", () => {
  const widths = [34, 400, 0, undefined].map((columns) => terminalOptions(stream(true, columns), {}).width);
  expect(widths).toEqual([34, 100, 100, 100]);
});

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const IGNORED = /(^|\/)(node_modules|dist|\.[\w-]+)\//;
/** The formatter leaves comments as they are. */
const WIDEST = 120;
const OF_A_COMMENT = /^\s*(?:\/\/|\/?\*)/;

function tooWide(file: string): readonly string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) =>
      line.length > WIDEST && OF_A_COMMENT.test(line) ? [`${file}:${index + 1}`] : [],
    );
}

test(`no line of a comment is wider than ${WIDEST} characters`, () => {
  const files = globSync("{apps,packages}/**/*.{ts,tsx,mts,mjs,js}").filter((file) => !IGNORED.test(file));
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap(tooWide)).toEqual([]);
});

import { mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { eachLine } from "./lines.ts";
import { writeInto } from "./write.ts";

const root = mkdtempSync(join(tmpdir(), "write-into-"));
afterAll(() => rmSync(root, { recursive: true }));

/** Reads lines of a text that comes in chunks of so many bytes, each in the place of the one before. */
async function linesOf(text: string, chunkBytes: number, take: (line: string) => boolean = () => true) {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncIterable<Buffer> {
    const buffer = Buffer.alloc(chunkBytes);
    for (let start = 0; start < bytes.length; start += chunkBytes) {
      yield buffer.subarray(0, bytes.copy(buffer, 0, start));
    }
  }
  const lines: string[] = [];
  const end = await eachLine(chunks(), 20, (line) => {
    lines.push(line);
    return take(line);
  });
  return { lines, ...end };
}

test.each([
  ["without an end behind the last line", "\none\ntwo €"],
  ["of one line", "one"],
  ["of no line", ""],
])("a text %s has the same lines, wherever its chunks end", async (_, text) => {
  const whole = text.split("\n");
  for (let chunkBytes = 1; chunkBytes <= 30; chunkBytes++) {
    const read = await linesOf(text, chunkBytes);
    expect(read).toEqual({ lines: whole.slice(0, -1), rest: whole.at(-1), isTooLong: false });
  }
});

test("what a user names is written into, and stays the link that it was", async () => {
  const file = join(root, "speed.xml");
  const link = join(root, "link.xml");
  writeFileSync(file, "before");
  symlinkSync(file, link);
  await writeInto(link, "after");
  expect([readFileSync(file, "utf8"), readlinkSync(link)]).toEqual(["after", file]);
  await expect(writeInto(root, "")).rejects.toThrow(`Cannot write ${root}: EISDIR.`);
});

test("reading ends at a line that is not taken, and at one without an end", async () => {
  for (const chunkBytes of [1, 2, 5, 30]) {
    const until = await linesOf("one\ntwo\nthree\nfour", chunkBytes, (line) => line !== "two");
    expect(until).toEqual({ lines: ["one", "two"], rest: "", isTooLong: false });
    const long = await linesOf(`one\n${"x".repeat(100)}`, chunkBytes);
    expect(long).toEqual({ lines: ["one"], rest: "", isTooLong: true });
  }
});

import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { findNodeProgram, servingNode } from "./node-program.ts";

const own = { file: process.execPath, version: process.versions.node };

/** A program that says it is this version. */
async function programOf(said: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "evenbench-test-")), "node");
  await writeFile(file, `#!/bin/sh\necho '${said}'\n`);
  await chmod(file, 0o755);
  return file;
}

test("hosts run on the Node.js that was named, or on Evenbench's own", async () => {
  expect(servingNode({})).toEqual(own);
  const named = await findNodeProgram(`./${relative("", process.execPath)}`);
  expect(named).toEqual(own);
  expect(servingNode({ nodeProgram: named })).toBe(named);
});

test.each([
  ["lts", "names no Node.js. Give a whole version, such as 24.21.0, or the path of a program"],
  ["26", "names no Node.js. Give a whole version"],
  ["/nowhere/node", "/nowhere/node is no Node.js: it could not be started"],
])("--node %s is refused in one line", async (word, words) => {
  await expect(findNodeProgram(word)).rejects.toThrow(words);
});

test("a program that is no Node.js, or too old a one, is refused with its version", async () => {
  await expect(findNodeProgram(await programOf("hello"))).rejects.toThrow("does not say its version");
  await expect(findNodeProgram(await programOf("v20.19.2"))).rejects.toThrow(
    "Node.js 20.19.2 cannot serve here",
  );
});

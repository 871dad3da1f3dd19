import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { digestOf, FOLDER, instanceFile, NOTE } from "./instance-file.ts";

afterEach(() => vi.resetModules());

/** As another process would find it. */
async function found(): Promise<string> {
  const { instanceFile: ofAnother } = await import("./instance-file.ts");
  return ofAnother();
}

test("the program of an instance is plain JavaScript without a file of ours, named by its content", async () => {
  const file = await instanceFile();
  const program = readFileSync(file, "utf8");
  expect(file).toContain(digestOf(file).slice(0, 16));
  expect(program).not.toMatch(/from "(?:\.|@evenbench)/);
});

test("it is made again where it is gone, or where a source is no longer what it was made of", async () => {
  const file = await found();
  rmSync(file);
  vi.resetModules();
  expect(await found()).toBe(file);
  expect(digestOf(file)).toMatch(/^[0-9a-f]{64}$/);

  const note = JSON.parse(readFileSync(join(FOLDER, NOTE), "utf8"));
  const [first = ""] = Object.keys(note.inputs);
  const older = { ...note, file: NOTE, inputs: { ...note.inputs, [first]: "another" } };
  writeFileSync(join(FOLDER, NOTE), JSON.stringify(older));
  vi.resetModules();
  expect(await found()).toBe(file);
  expect(JSON.parse(readFileSync(join(FOLDER, NOTE), "utf8"))).toEqual(note);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { testFolder } from "../test/folder.ts";
import { scratchFolder } from "./own-folder.ts";
import { TYPE_STRIPPING } from "./repository.ts";

const places = testFolder();

const MODULE = new URL("own-folder.ts", import.meta.url).href;
const SOURCE = `const { scratchFolder } = await import(${JSON.stringify(MODULE)});
const { path } = await scratchFolder("other");
console.log(path);
setInterval(() => {}, 1000);`;

/** Has another process make a folder. @returns the process and the folder's path. */
async function madeByOther() {
  const other = spawn(process.execPath, [...TYPE_STRIPPING, "--input-type=module", "-e", SOURCE], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [written] = await once(other.stdout, "data");
  return { other, path: String(written).trim() };
}

test("folders of processes that were killed are removed, and those of living ones, or that others may enter, are not", async () => {
  vi.stubEnv("TMPDIR", places);
  const left = await madeByOther();
  const shared = await madeByOther();
  const living = await madeByOther();
  chmodSync(shared.path, 0o755);
  for (const { other } of [left, shared]) {
    other.kill("SIGKILL");
    await once(other, "exit");
  }
  await using own = await scratchFolder("own");
  const paths = [left.path, shared.path, living.path, own.path];
  expect(paths.map((path) => existsSync(path))).toEqual([false, true, true, true]);
  living.other.kill("SIGKILL");
  await once(living.other, "exit");
});

test("a folder for temporary files is gone when it is disposed of", async () => {
  vi.stubEnv("TMPDIR", places);
  const folder = await scratchFolder("own");
  await folder[Symbol.asyncDispose]();
  expect(existsSync(folder.path)).toBe(false);
});

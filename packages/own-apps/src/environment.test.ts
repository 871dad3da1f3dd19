import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { readEnvironment } from "./environment.ts";

const folder = testFolder();

test("later files replace values of earlier ones, and what was given replaces all; what Evenbench sets is left out", async () => {
  writeFileSync(join(folder, ".env"), "A=1\nB=1\nC=1\nD=1\nPORT=3000\nNODE_ENV=development\n");
  writeFileSync(join(folder, ".env.local"), 'B="2"\n');
  writeFileSync(join(folder, ".dev.vars"), "C=3\n");
  writeFileSync(join(folder, ".env.example"), "E=5\n");
  writeFileSync(join(folder, "given"), "D=4\n");
  const { variables, leftOut, files } = await readEnvironment(folder, [join(folder, "given")]);
  expect({ ...variables }).toEqual({ A: "1", B: "2", C: "3", D: "4" });
  expect(leftOut.toSorted()).toEqual(["NODE_ENV", "PORT"]);
  expect(files).toEqual([".env", ".env.local", ".dev.vars", join(folder, "given")]);
});

test("a file that is not there is named", async () => {
  await expect(readEnvironment(folder, ["nowhere.env"])).rejects.toThrow(
    "--env-file cannot read nowhere.env",
  );
});

test.skipIf(process.platform === "win32")("a pipe that nobody writes to is not waited for", async () => {
  const pipe = join(folder, "pipe.env");
  execFileSync("mkfifo", [pipe]);
  await expect(readEnvironment(folder, [pipe])).rejects.toThrow(
    `--env-file cannot read ${pipe}: it is not a regular file. Give another file.`,
  );
});

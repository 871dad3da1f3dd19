import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { TYPE_STRIPPING } from "@evenbench/host";
import { expect, test } from "vitest";
import { scratchFolder } from "../test/fixture.ts";

const importing = `import { claimMachine } from ${JSON.stringify(new URL("machine.ts", import.meta.url).href)};`;

test("a process that ends at once while it measures, and is done with one of two, leaves no mark", async () => {
  await using scratch = await scratchFolder();
  const marks = join(scratch.path, "evenbench", "measuring");
  const list = `import { readdirSync } from "node:fs"; console.log(readdirSync(${JSON.stringify(marks)}).length);`;
  const words = [
    "--input-type=module",
    "--eval",
    `${importing} claimMachine(); claimMachine()[Symbol.dispose](); ${list} process.exit(130);`,
  ];
  const env = { ...process.env, XDG_CACHE_HOME: scratch.path };
  const { status, stdout } = spawnSync(process.execPath, [...TYPE_STRIPPING, ...words], { env });
  expect([status, String(stdout)]).toEqual([130, "1\n"]);
  expect(readdirSync(marks)).toEqual([]);
});

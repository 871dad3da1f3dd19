import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { evenbench } from "../../test/evenbench.ts";
import { createProgram } from "../main.ts";
import { type Config, defineConfig } from "./define-config.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

let count = 0;
/** A module is loaded once: every test has a file of its own. */
async function fileOf(text: string): Promise<string> {
  count += 1;
  const path = join(folder, `evenbench-${count}.config.ts`);
  await writeFile(path, text);
  return path;
}

/** What a command would work with, when the file has these values. */
async function given(config: Config, ...words: string[]): Promise<Record<string, unknown>> {
  const program = await createProgram({ code: 0 });
  const called: Command[] = [];
  for (const command of program.commands) {
    command.configureOutput({ writeErr: () => {} }).action(() => void called.push(command));
  }
  const file = await fileOf(`export default ${JSON.stringify(defineConfig(config))};`);
  await program.parseAsync(["--config", file, ...words], { from: "user" });
  const [command] = called;
  if (command === undefined) throw new Error("No command was called.");
  return command.opts();
}

describe("values of the file", () => {
  test("are read as on the command line, for a command and for all that have the option", async () => {
    const config = {
      all: { quiet: true, seed: 7 },
      run: {
        suite: "mine",
        target: ["node", "cloudflare"],
        time: "60s",
        precision: "5%",
        cold: 3,
        build: false,
      },
    };
    expect(await given(config)).toMatchObject({
      quiet: true,
      seed: 7,
      suite: "mine",
      target: ["node", "cloudflare"],
      time: 60_000,
      precision: 0.05,
      cold: 3,
      build: false,
      spacing: 1,
    });
    expect(await given(config, "load", "--case", "empty")).toMatchObject({
      quiet: true,
      seed: 7,
      build: true,
    });
    expect(await given(config, "list")).not.toHaveProperty("quiet");
  });

  test("of a command win over those for all; false takes one back", async () => {
    const config = { all: { quiet: true, seed: 7 }, run: { quiet: false, seed: 8 } };
    expect(await given(config)).toMatchObject({ seed: 8 });
    expect(await given(config)).not.toHaveProperty("quiet");
    expect(await given(config, "experiment")).toMatchObject({ seed: 7, quiet: true });
  });

  test("give way to the command line, lists and short names included", async () => {
    const config = { run: { target: ["node"], app: "next", time: "60s", build: false, sweep: true } };
    expect(await given(config, "-t", "vercel", "--target", "bun", "--time", "2s")).toMatchObject({
      target: ["vercel", "bun"],
      app: ["next"],
      time: 2000,
      build: false,
      sweep: true,
    });
    expect(await given(config, "--sweep", "3s")).toMatchObject({ target: ["node"], sweep: 3000 });
  });

  test("give way to an option that excludes them, by its old name, too", async () => {
    const config = { load: { case: "empty", rate: "20" } };
    expect(await given(config, "load", "--capacity", "p99 <= 1s")).not.toHaveProperty("rate", [20]);
    vi.spyOn(console, "error").mockImplementationOnce(() => {});
    const byOldName = await given(config, "load", "--lanes", "2");
    expect(byOldName).toMatchObject({ concurrency: [2] });
    expect(byOldName.rate).toBeUndefined();
    expect(await given(config, "load")).toMatchObject({ rate: [20] });
  });

  test("fulfil what a command requires", async () => {
    expect(await given({ load: { case: ["empty"] } }, "load")).toMatchObject({ case: ["empty"] });
    expect(await given({ load: { case: ["empty"] } }, "load", "--case", "trig")).toMatchObject({
      case: ["trig"],
    });
  });

  test("are left out by --no-config, wherever it stands", async () => {
    const config = { run: { seed: 7, target: "node" } };
    for (const words of [["--no-config"], ["run", "--target", "vercel", "--no-config"]])
      expect(await given(config, ...words)).not.toHaveProperty("seed");
  });
});

const WRONG: readonly (readonly [string, RegExp])[] = [
  ["export default { run: { suit: 1 } }", /There is no option of run "suit"\. Did you mean "suite"\?/],
  ["export default { all: { tiem: 1 } }", /There is no option "tiem"\. Did you mean "time"\?/],
  ["export default { rum: {} }", /There is no command "rum"\. Did you mean "run"\?/],
  ["export default { load: { lanes: 4 } }", /There is no option of load "lanes"/],
  ["export default { run: { time: 10 } }", /run\.time cannot be 10\. Give a duration with its unit, such as/],
  ["export default { all: { seed: -1 } }", /all\.seed cannot be -1\. Give a whole number from 0/],
  [
    "export default { run: { where: 'here' } }",
    /run\.where cannot be "here"\. Allowed choices are local, deployed/,
  ],
  ["export default { run: { suite: true } }", /run\.suite cannot be true\. Give a text or a number/],
  [
    "export default { run: { suite: ['a', 'b'] } }",
    /run\.suite cannot be \["a","b"\]\. Give one value, not a list/,
  ],
  ["export default { run: { quiet: 'yes' } }", /run\.quiet cannot be "yes"\. Give true or false/],
  ["export default { run: 7 }", /run is no object\. Write/],
  [
    "export default { load: { rate: 20, capacity: 'p99 <= 1s' } }",
    /load\.rate and load\.capacity exclude each other/,
  ],
  ["export default 7", /exports no values\. Write/],
  ["export const run = {}", /exports no values\. Write/],
  ["throw new Error('too\\nlong')", /cannot be loaded: Error: too$/],
];

test.each(WRONG)("%s is refused in one line that names the file, exit code 2", async (text, message) => {
  const file = await fileOf(text);
  const { code, stderr } = await evenbench("list", "--config", file);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).toMatch(/^evenbench: evenbench-\d+\.config\.ts/);
  expect(stderr.trimEnd()).toMatch(message);
  expect(code).toBe(2);
});

test("a file that is named and not there is an error, and help is there whatever the file says", async () => {
  const missing = await evenbench("list", "--config", join(folder, "none.ts"));
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringMatching(/^evenbench: There is no .*none\.ts\./),
  ]);
  const file = await fileOf("throw new Error()");
  const help = await evenbench("run", "--help", "--config", file);
  expect([help.code, help.stderr]).toEqual([0, ""]);
  expect(help.stdout).toContain("--no-config");
});

test("two options of the command line that exclude each other are refused as ever", async () => {
  const file = await fileOf("export default { load: { rate: 20 } }");
  const words = ["load", "--case", "empty", "--rate", "1", "--capacity", "p99 <= 1s", "--config", file];
  const { code, stderr } = await evenbench(...words);
  expect(stderr).toContain("cannot be used with option");
  expect(code).toBe(2);
});

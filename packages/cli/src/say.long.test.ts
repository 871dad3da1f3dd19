import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { listen } from "@evenbench/probe/testing";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { beforeAll, expect, test } from "vitest";
import { evenbench, testFolder, words } from "../test/evenbench.ts";

/** Wipes the screen, writes over a line, turns a text around, sets a title; then a line that looks like one of ours. */
const HOSTILE = "\u001b[2J\r\u202e\u009b1A\u001b]0;x\u0007\u2066\nPreflight passed: all is well.";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be absent.
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const at = testFolder();
let plain: string;
let run: string;
beforeAll(async () => {
  plain = await writeSyntheticRun(at(), { rounds: 10 });
  run = await writeSyntheticRun(at(), { rounds: 10, failEvery: 7, text: HOSTILE });
  const file = join(run, "run.json");
  const record = JSON.parse(await readFile(file, "utf8"));
  record.id += HOSTILE;
  record.machine.cpuModel += HOSTILE;
  record.identities.vercel.facts.runtime += HOSTILE;
  await writeFile(file, JSON.stringify(record));
  const damaged = at("20260101-000000\u001b[2J\u202e");
  await mkdir(damaged);
  await writeFile(join(damaged, "run.json"), "{}");
});

const HOSTILE_IDENTITY = JSON.stringify({
  schemaVersion: 1,
  app: "bundle",
  platform: "node",
  instance: { id: "0123456789abcdef", served: 1 },
  pins: { artifact: `aa${HOSTILE}`, "nodeEnv.artifact": HOSTILE, [`pin${HOSTILE}`]: "x" },
  facts: { runtime: HOSTILE },
});

test.each([
  ["compare", () => [plain, run, "--fail-on", "slower 1%"], "A synthetic processor"],
  ["compare", () => [plain, run, "--json"], "A synthetic processor"],
  ["site", () => [at(), "--out", at("gallery")], "left out: 20260101-000000"],
  ["report", () => [run], "Requests failed"],
  ["preflight", () => ["--no-build", "--case", "empty", "--target", "node"], "Preflight failed"],
  ["run", () => [...words`--no-build --case empty --out ${at("new")} --target node`], "pin"],
] as const)("%s writes nothing to the terminal that steers it", async (command, args, message) => {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json").end(HOSTILE_IDENTITY);
  });
  const hostile = args().includes("--target") ? ["--target", `mine=${await listen(server)}`] : [];
  const { output: text } = await evenbench(command, ...args(), ...hostile);
  expect(text).toContain(message);
  expect(text).not.toMatch(STEERING);
  expect(text).not.toMatch(/^Preflight passed/m);
});

test("what is read from JSON is what it was", async () => {
  const facts = JSON.parse((await evenbench("compare", plain, run, "--json")).stdout);
  expect(facts.run.parts[1].id).toBe(`synthetic${HOSTILE}`);
});

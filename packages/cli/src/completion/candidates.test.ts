import { expect, test } from "vitest";
import { createProgram } from "../main.ts";
import { candidates } from "./candidates.ts";

/** @param line with a bar where the cursor is, so that a space before it can be seen. */
async function wordsFor(line: string): Promise<readonly string[]> {
  const program = await createProgram({ code: 0 });
  return (await candidates(program, line.replace("|", "").split(" "))).map(({ word }) => word);
}

test("at the beginning there are commands, with what they do", async () => {
  expect(await wordsFor("|")).toEqual(expect.arrayContaining(["run", "report", "completion", "help"]));
  expect(await wordsFor("|")).not.toContain("complete");
  expect(await wordsFor("re|")).toEqual(["report"]);
  expect(await wordsFor("no-such|")).toEqual([]);
  const [list] = await candidates(await createProgram({ code: 0 }), ["lis"]);
  expect(list).toEqual({ word: "list", about: "list the cases and the local targets" });
});

test.each([
  ["run --tri|", ["--trials"]],
  // Without a command it is run, whose options come at once; all commands have those of the program.
  ["--tri|", ["--trials"]],
  ["serve --no-|", ["--no-build", "--no-config"]],
  // An old name is taken, and not offered.
  ["load --lan|", []],
  ["load --conc|", ["--concurrency"]],
  ["vantages p|", ["plan"]],
  ["vantages plan --war|", ["--warm-up"]],
  ["vantages collect loads/first --an|", ["--anyway"]],
])("%s: options of the command", async (line, expected) => {
  expect(await wordsFor(line)).toEqual(expected);
});

test.each([
  ["run --server-cores |", ["all", "apart"]],
  ["run --server-cores a|", ["all", "apart"]],
  ["run --server-cores=ap|", ["--server-cores=apart"]],
  // As bash parts it.
  ["run --server-cores = ap|", ["apart"]],
  ["run --server-cores =|", ["all", "apart"]],
  ["run -w loc|", ["local"]],
  ["completion |", ["bash", "zsh", "fish"]],
])("%s: choices", async (line, expected) => {
  expect(await wordsFor(line)).toEqual(expected);
});

test.each([
  ["run --case react-s|", "react-ssr"],
  ["--case empty react-s|", "react-ssr"],
  ["run -c empty,react-s|", "empty,react-ssr"],
  ["run --case=empty,react-s|", "--case=empty,react-ssr"],
  ["load --quiet --case next-|", "next-page"],
  ["preflight --accept tr|", "trig"],
  ["profile tr|", "trig"],
  ["run --target clo|", "cloudflare"],
  ["run --target bu|", "bun"],
  ["run --baseline ver|", "vercel"],
  ["list --app svel|", "sveltekit"],
  ["run --suite |", "published"],
  ["run --suite a|", "all"],
  ["experiment |", "all"],
  ["experiment --seed 1 all pri|", "price"],
  ["deploy |", "cloudflare"],
  ["new |", "platform"],
  ["dev --filter nex|", "next"],
])("%s: names as they are in the folders, such as %s", async (line, expected) => {
  expect(await wordsFor(line)).toContain(expected);
});

test.each(["report |", "run --out |", "run --seed 1|", "compare a |", "new case |", "list a |"])(
  "%s: nothing is known, so a shell offers files",
  async (line) => {
    expect(await wordsFor(line)).toEqual([]);
  },
);

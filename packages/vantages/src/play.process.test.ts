// How vantages start k6: a program in its place notes what it is given. What k6 itself does is in play.long.test.ts.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { beforeEach, expect, test, vi } from "vitest";
import { useFakeSsh } from "../test/fake-ssh.ts";
import { planOf } from "../test/plans.ts";
import { collectLogs } from "./collect-rounds.ts";
import { SCRIPT_FILES } from "./plan.ts";
import { parsePlaces, runVantages } from "./play.ts";
import { readPlan } from "./read-plan.ts";
import { writePlan } from "./write-plan.ts";

const TOKEN = "feedfacefeedfacefeedfacefeedface";
let folder: string;
folderOfEachTest((path) => {
  folder = path;
});
/** Writes its environment and its script where the log of k6 goes. */
beforeEach(() => {
  const k6 = join(folder, "k6");
  writeFileSync(k6, `#!/bin/sh\nenv >&2\nfor script; do :; done\ncat "$script" >&2\n`, { mode: 0o755 });
  vi.stubEnv("K6", k6);
  vi.stubEnv("EVENBENCH_TOKEN", "t".repeat(32));
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "planted");
  vi.stubEnv("K6_DURATION", "planted");
});

async function planned(isClosed: boolean) {
  const at = join(folder, "plan");
  await writePlan(planOf({ targets: { node: "https://node.example" }, isClosed }), at, ["eu-central-1"]);
  return at;
}

async function run(at: string, words: readonly string[], token: string | null = null) {
  const read = await readPlan(at);
  return runVantages({ read, places: parsePlaces(words), together: false, token });
}

/** Names of variables in a log of the program. */
function variables(log: string): readonly string[] {
  const names = [...log.matchAll(/^([A-Za-z_]\w*)=/gm)].map(([, name = ""]) => name);
  // A shell sets these itself.
  return names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name)).sort();
}

const GIVEN = ["EVENBENCH_VANTAGE", "GODEBUG", "HOME", "K6_NO_USAGE_REPORT", "PATH"];

test("k6 gets its own variables and hardly any of the caller's, and the token only where targets are closed", async () => {
  vi.stubEnv("TMPDIR", undefined);
  const open = await planned(false);
  await run(open, ["here=local"], TOKEN);
  const log = readFileSync(join(open, "logs", "here.log"), "utf8");
  expect(variables(log)).toEqual(GIVEN);
  expect(log).not.toMatch(/planted|feedface|tttt/);
});

test("k6 on another machine gets no more, and the token by standard input alone", async () => {
  const ssh = await useFakeSsh(folder, process.env.K6 ?? "", vi.stubEnv);
  const closed = await planned(true);
  await expect(run(closed, ["eu=ssh:me@vm1"])).rejects.toThrow(/node, .* none is given/);
  await run(closed, ["eu=ssh:me@vm1"], TOKEN);
  const log = readFileSync(join(closed, "logs", "eu.log"), "utf8");
  expect(variables(log)).toEqual([...GIVEN, "EVENBENCH_TOKEN", "K6"].sort());
  expect(log).toContain(`EVENBENCH_TOKEN=${TOKEN}`);
  expect(JSON.stringify(await ssh.calls())).not.toContain(TOKEN);
  // The whole of the script came over.
  expect(log).toContain(readFileSync(join(closed, SCRIPT_FILES.rounds), "utf8"));
});

test("a script that is not the plan's is not run, and one that is gone is made again", async () => {
  const at = await planned(true);
  const script = join(at, SCRIPT_FILES.rounds);
  const made = readFileSync(script, "utf8");
  const refused =
    /vantages\.js is not what plan\.json stands for: one of them was changed.* Nothing was sent/;
  writeFileSync(script, `console.log(__ENV.EVENBENCH_TOKEN);${made}`);
  await expect(run(at, ["here=local"], TOKEN)).rejects.toThrow(refused);
  writeFileSync(script, made);
  const plan = join(at, "plan.json");
  const text = readFileSync(plan, "utf8");
  writeFileSync(plan, text.replace("20261122", "1"));
  await expect(run(at, ["here=local"], TOKEN)).rejects.toThrow(refused);
  writeFileSync(plan, text);
  rmSync(script);
  await run(at, ["here=local"], TOKEN);
  expect(readFileSync(join(at, "logs", "here.log"), "utf8")).toContain(made);
});

test("no log is written through a link, and none is read from a pipe", async () => {
  const at = await planned(false);
  const mine = join(folder, "mine");
  writeFileSync(mine, "MINE");
  symlinkSync(mine, join(at, "logs", "here.log"));
  await expect(run(at, ["here=local"])).rejects.toThrow(/here\.log is not a regular file, and takes no log/);
  expect(readFileSync(mine, "utf8")).toBe("MINE");
  const pipe = join(at, "logs", "eu.log");
  execFileSync("mkfifo", [pipe]);
  await expect(run(at, ["eu=local"])).rejects.toThrow(/eu\.log is not a regular file/);
  const { plan, hash } = await readPlan(at);
  if (plan.kind !== "rounds") {
    throw new Error("The plan is of another kind.");
  }
  const collected = collectLogs({ plan, hash, logs: [pipe], out: join(folder, "out") });
  await expect(collected).rejects.toThrow(/eu\.log cannot be read \(it is not a regular file\)/);
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { loadCases } from "./load-cases.ts";

const folder = testFolder();
const GOOD = `export default { title: "T", description: "D", golden: null, handle() {} };`;

async function load(sources: Readonly<Record<string, string>>, limits: { withinMs: number; bytes: number }) {
  const modules = Object.keys(sources).map((id) => ({ id, file: join(folder, `${id}.mjs`) }));
  await Promise.all(modules.map(({ id, file }) => writeFile(file, sources[id] ?? "")));
  const loadings = await loadCases(modules, limits);
  return Object.fromEntries(
    modules.map(({ id }, index) => {
      const loading = loadings[index];
      return [id, loading !== undefined && "reason" in loading ? loading.reason : "a case"];
    }),
  );
}

test("a top level that loops, exits, dies, waits for ever or fills memory is named; the others are cases", async () => {
  const outcomes = await load(
    {
      "a-good": GOOD,
      "b-loops": "for (;;) {}",
      "c-exits": "process.exit(7);",
      "d-waits": "await new Promise(() => {});",
      "e-fills": "const kept = []; for (;;) kept.push(Buffer.alloc(2 ** 20, 1));",
      "f-waits-busily": "setInterval(() => {}, 10); await new Promise(() => {});",
      "g-dies":
        'process.kill(process.pid, "SIGKILL"); await new Promise((resolve) => setTimeout(resolve, 60_000));',
      "h-good": GOOD,
    },
    { withinMs: 4_000, bytes: 2 ** 29 },
  );
  expect(outcomes).toEqual({
    "a-good": "a case",
    "b-loops": "its top level did not end within 4 s",
    "c-exits": "its top level ended the process that loads it (exit code 7)",
    "d-waits": "its top level awaits what never comes",
    "e-fills": "its top level took more than 512 MiB of memory",
    "f-waits-busily": "its top level did not end within 4 s",
    "g-dies": "its top level ended the process that loads it (SIGKILL)",
    "h-good": "a case",
  });
});

test("a top level that stops itself, starts what goes on, or writes without end is named like one that loops", async () => {
  const child = join(folder, "child.txt");
  const spawns = `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
    const { pid } = spawn("sleep", ["300"], { stdio: "inherit" }); writeFileSync(${JSON.stringify(child)}, String(pid));`;
  const outcomes = await load(
    {
      "i-stops":
        'process.kill(process.pid, "SIGSTOP"); await new Promise((resolve) => setTimeout(resolve, 60_000));',
      "j-starts": `${spawns} for (;;) {}`,
      "k-starts-and-exits": `${spawns} process.exit(7);`,
      "l-writes": 'for (;;) console.error("x".repeat(65_536));',
      "m-good": GOOD,
    },
    { withinMs: 3_000, bytes: 2 ** 30 },
  );
  const late = "its top level did not end within 3 s";
  expect(outcomes).toEqual({
    "i-stops": late,
    "j-starts": late,
    "k-starts-and-exits": "its top level ended the process that loads it (exit code 7)",
    "l-writes": late,
    "m-good": "a case",
  });
  process.kill(Number(await readFile(child, "utf8")), "SIGKILL");
});

test("what a case leaves behind does not fall on the next one", async () => {
  const late = "setImmediate(() => process.exit(3));";
  const slow = "await new Promise((resolve) => setTimeout(resolve, 50));";
  const outcomes = await load(
    { late: `${late}\n${GOOD}`, slow: `${slow}\n${GOOD}` },
    { withinMs: 10_000, bytes: 2 ** 30 },
  );
  expect(outcomes).toEqual({ late: "a case", slow: "a case" });
});

test.each([
  ["of another type", "parameters: 3", /^its "parameters" is wrong: .*expected record/],
  ["without a type", "parameters: { n: { default: 1 } }", /^its "parameters\.n\.type" is wrong: /],
  ["no words", "parameters: {}, title: 7", /^its "title" is wrong: .*expected string/],
])("a field that is %s is named", async (_what, field, reason) => {
  const source = `export default { title: "T", description: "D", golden: null, handle() {}, ${field} };`;
  const { wrong } = await load({ wrong: source }, { withinMs: 10_000, bytes: 2 ** 30 });
  expect(wrong).toMatch(reason);
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stillRunning } from "@evenbench/host/testing";
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

/** For what ends by itself, however slow the machine is. */
const UNHURRIED = { withinMs: 120_000, bytes: 2 ** 29 };

const child = join(folder, "child.txt");
const SPAWNS = `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
  const { pid } = spawn("sleep", ["300"], { stdio: "inherit" }); writeFileSync(${JSON.stringify(child)}, String(pid));`;

test("a top level that exits, dies, waits for ever, fills memory or starts what goes on is named, and so is a field that is wrong; the others are cases", async () => {
  const withField = (field: string) =>
    `export default { title: "T", description: "D", golden: null, handle() {}, ${field} };`;
  const outcomes = await load(
    {
      "a-good": GOOD,
      "another-type": withField("parameters: 3"),
      "no-type": withField("parameters: { n: { default: 1 } }"),
      "no-words": withField("parameters: {}, title: 7"),
      "c-exits": "process.exit(7);",
      "d-waits": "await new Promise(() => {});",
      "e-fills": "const kept = []; for (;;) kept.push(Buffer.alloc(2 ** 20, 1));",
      "g-dies":
        'process.kill(process.pid, "SIGKILL"); await new Promise((resolve) => setTimeout(resolve, 60_000));',
      "k-starts-and-exits": `${SPAWNS} process.exit(7);`,
      "h-good": GOOD,
    },
    UNHURRIED,
  );
  expect(outcomes).toEqual({
    "a-good": "a case",
    "another-type": expect.stringMatching(/^its "parameters" is wrong: .*expected record/),
    "no-type": expect.stringMatching(/^its "parameters\.n\.type" is wrong: /),
    "no-words": expect.stringMatching(/^its "title" is wrong: .*expected string/),
    "c-exits": "its top level ended the process that loads it (exit code 7)",
    "d-waits": "its top level awaits what never comes",
    "e-fills": "its top level took more than 512 MiB of memory",
    "g-dies": "its top level ended the process that loads it (SIGKILL)",
    "k-starts-and-exits": "its top level ended the process that loads it (exit code 7)",
    "h-good": "a case",
  });
  const left = Number(await readFile(child, "utf8"));
  expect(await stillRunning([left])).toEqual([]);
});

test("a top level that has no end is named, also where it stops itself, starts what goes on, or writes for ever", async () => {
  const outcomes = await load(
    {
      "b-loops": "for (;;) {}",
      "f-waits-busily": "setInterval(() => {}, 10); await new Promise(() => {});",
      "i-stops":
        'process.kill(process.pid, "SIGSTOP"); await new Promise((resolve) => setTimeout(resolve, 60_000));',
      "j-starts": `${SPAWNS} for (;;) {}`,
      "l-writes": 'for (;;) console.error("x".repeat(65_536));',
    },
    { withinMs: 500, bytes: 2 ** 30 },
  );
  expect(new Set(Object.values(outcomes))).toEqual(new Set(["its top level did not end within 0.5 s"]));
});

test("what a case leaves behind does not fall on the next one", async () => {
  const late = "setImmediate(() => process.exit(3));";
  const slow = "await new Promise((resolve) => setTimeout(resolve, 50));";
  const outcomes = await load({ late: `${late}\n${GOOD}`, slow: `${slow}\n${GOOD}` }, UNHURRIED);
  expect(outcomes).toEqual({ late: "a case", slow: "a case" });
});

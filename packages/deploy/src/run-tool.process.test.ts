import { expect, test } from "vitest";
import { toolRunner } from "./run-tool.ts";

const SILENT_FOR_MS = 2500;
const run = toolRunner(new AbortController().signal, SILENT_FOR_MS);
const tool = (script: string) =>
  run({ name: "a tool", command: [process.execPath, "--eval", script], cwd: import.meta.dirname });

test("a tool that works for long is waited for as long as it says something", async () => {
  const said = await tool(
    "let n = 0; const t = setInterval(() => { console.log(n); if (++n === 14) clearInterval(t); }, 250);",
  );
  expect(said.trim().split("\n")).toHaveLength(14);
});

test("a tool that says nothing for too long is ended, and told so with its last words", async () => {
  await expect(tool("console.log('waiting'); setInterval(() => {}, 1000);")).rejects.toThrow(
    /^a tool said nothing for 3 s, and was ended:\nwaiting$/,
  );
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { factsOfStates } from "@evenbench/report";
import { expect, onTestFinished, test, vi } from "vitest";
import type { JudgedLine } from "../limits.ts";
import { annotations, outputs, writeForCi } from "./media.ts";

const place = testFolder();
const met: JudgedLine = { kind: "met", text: "node in /a is slower: 20 %\nand ::error::more" };
const open: JudgedLine = { kind: "open", text: "node in /b may be slower" };
const note: JudgedLine = { kind: "note", text: "In every case 9 % would have been found." };

test("annotations are ten at most, the gravest first, and none ends its line", () => {
  const lines = [note, ...Array<JudgedLine>(8).fill(open), ...Array<JudgedLine>(4).fill(met)];
  const found = annotations({ lines, isQuiet: false });
  expect(found.map((line) => line.split(" ")[0])).toEqual([
    ...Array<string>(4).fill("::error"),
    ...Array<string>(6).fill("::warning"),
  ]);
  expect(found[0]).toBe("::error title=Worse than allowed::node in /a is slower: 20 %25%0Aand ::error::more");
  expect(annotations({ lines, isQuiet: true })).toHaveLength(4);
});

test.each([
  [0, [note], "passed"],
  [3, [open, note], "undecided"],
  [1, [met, open], "failed"],
])("the code %i is a result, with the number of comparisons of each kind", (code, lines, result) => {
  expect(outputs({ lines, out: "runs", code }, "runs/comment.md")).toEqual({
    result,
    "exit-code": code,
    failed: lines.includes(met) ? 1 : 0,
    undecided: lines.includes(open) ? 1 : 0,
    folder: "runs",
    json: "runs/facts.json",
    markdown: "runs/comment.md",
  });
});

test("the files of a runner are added to, and elsewhere there is the text alone", async () => {
  const out = join(place, "runs");
  mkdirSync(out);
  const files = { GITHUB_STEP_SUMMARY: join(place, "summary"), GITHUB_OUTPUT: join(place, "output") };
  for (const file of Object.values(files)) {
    writeFileSync(file, "before=1\n");
  }
  const said = vi.spyOn(console, "log").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const state = { commit: null, changed: null };
  const facts = factsOfStates({
    pairs: [],
    absent: [],
    otherWork: [],
    before: { id: "main", ...state },
    after: { id: "working copy", ...state },
    asked: { startedAt: "2026-11-29T12:00:00.000Z", evenbench: "0.1.0", command: null, settings: null },
  });
  const outcome = { facts, lines: [open], out, code: 3, isQuiet: false };
  await writeForCi(outcome, {});
  expect(said).not.toHaveBeenCalled();
  await writeForCi(outcome, { ...files, GITHUB_ACTIONS: "true" });
  const text = readFileSync(join(out, "comment.md"), "utf8");
  expect(text).toMatch(/^<!-- evenbench -->\n### Undecided/);
  expect(readFileSync(files.GITHUB_STEP_SUMMARY, "utf8")).toBe(`before=1\n${text}`);
  expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toMatch(/^before=1\n(?:[\w-]+=.*\n){7}$/);
  expect(said.mock.calls.flat().join()).toContain("::warning title=Undecided::");
});

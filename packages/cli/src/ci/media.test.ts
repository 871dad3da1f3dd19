import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { type Facts, factsOfStates } from "@evenbench/report";
import { expect, test, vi } from "vitest";
import type { JudgedLine } from "../limits.ts";
import { annotations, outputs, writeForCi } from "./media.ts";

const place = testFolder();
const met: JudgedLine = { kind: "met", text: "node in /a is slower: 20 %\nand ::error::more" };
const open: JudgedLine = { kind: "open", text: "node in /b may be slower" };
const note: JudgedLine = { kind: "note", text: "In every case 9 % would have been found." };
const broken: JudgedLine = { kind: "failed", text: "The build failed.", quotes: ["  | boom"] };

const state = { commit: null, changed: null };
const nothing = factsOfStates({
  pairs: [],
  absent: [],
  otherWork: [],
  before: { id: "main", ...state },
  after: { id: "working copy", ...state },
  asked: { startedAt: "2026-11-29T12:00:00.000Z", evenbench: "0.1.0", command: null, settings: null },
});
const measured = { ...nothing, levels: [{}] } as unknown as Facts;
const outcome = { facts: measured, lines: [open], out: "runs", code: 3, undecided: "warn" } as const;

test("annotations are ten at most, the gravest first, and none ends its line", () => {
  const lines = [note, ...Array<JudgedLine>(8).fill(open), ...Array<JudgedLine>(4).fill(met)];
  const found = annotations({ ...outcome, lines, code: 1 });
  expect(found.map((line) => line.split(" ")[0])).toEqual([
    ...Array<string>(4).fill("::error"),
    ...Array<string>(6).fill("::warning"),
  ]);
  expect(found[0]).toBe("::error title=Worse than allowed::node in /a is slower: 20 %25%0Aand ::error::more");
  expect(annotations({ ...outcome, lines, undecided: "ignore" })).toHaveLength(4);
});

const red = "error title=Not measured";
test.each([
  ["passed", { lines: [note], code: 0 }, 0, "passed", []],
  ["open, where that warns", {}, 0, "undecided", ["warning title=Undecided"]],
  ["open, where that is left out", { undecided: "ignore" }, 0, "undecided", []],
  ["open, where that fails", { undecided: "fail" }, 3, "undecided", ["error title=Undecided"]],
  ["worse", { lines: [met], code: 1 }, 1, "failed", ["error title=Worse than allowed"]],
  ["open, and nothing was measured", { facts: nothing, undecided: "ignore" }, 3, "failed", [red]],
  ["open, and a path was not compared", { lines: [broken, note] }, 3, "failed", [red]],
  ["open, and not measured to its end", { lines: [broken, open] }, 3, "failed", [red, red]],
  ["not built", { facts: null, lines: [broken], code: 1 }, 1, "failed", [red]],
] as const)(
  "a check that is %s has its code, its result and its annotations",
  async (_, given, code, result, said) => {
    const out = join(place, "ends");
    vi.spyOn(console, "error").mockImplementation(() => {});
    const found = { ...outcome, out, ...given };
    expect(await writeForCi(found, {})).toBe(code);
    const text = readFileSync(join(out, "comment.md"), "utf8");
    const shown = annotations(found);
    expect(shown.map((line) => line.split("::")[1])).toEqual(said);
    const folder = resolve("runs");
    expect(outputs({ ...found, out: "runs" }, "comment.md")).toMatchObject({
      result,
      "exit-code": found.code,
      folder,
    });
    expect(text.startsWith("<!-- evenbench -->\n### ")).toBe(true);
    // A log may have a secret, which GitHub hides in what its runner prints, and there alone.
    expect(text).not.toContain("boom");
  },
);

test("the files of a runner are added to, and elsewhere there is the text alone", async () => {
  const out = join(place, "runs");
  const files = { GITHUB_STEP_SUMMARY: join(place, "summary"), GITHUB_OUTPUT: join(place, "output") };
  for (const file of Object.values(files)) {
    writeFileSync(file, "before=1\n");
  }
  const said = vi.spyOn(console, "log").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  await writeForCi({ ...outcome, out }, {});
  expect(said).not.toHaveBeenCalled();
  await writeForCi({ ...outcome, out }, { ...files, GITHUB_ACTIONS: "true" });
  const text = readFileSync(join(out, "comment.md"), "utf8");
  expect(readFileSync(files.GITHUB_STEP_SUMMARY, "utf8")).toBe(`before=1\n${text}`);
  expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toMatch(/^before=1\n(?:[\w-]+=.*\n){7}$/);
  expect(said.mock.calls.flat().join()).toContain("::warning title=Undecided::");
});

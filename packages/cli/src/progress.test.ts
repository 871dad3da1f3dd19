import type { Progress } from "@evenbench/runner";
import { expect, test } from "vitest";
import { Screen } from "../test/screen.ts";
import { progressDisplay, runDescriber } from "./progress.ts";

const at = (changes: Partial<Progress> = {}): Progress => ({
  phase: "measure",
  caseId: "trig",
  caseIndex: 0,
  caseCount: 2,
  trial: 0,
  trials: 10,
  roundIndex: 4,
  etaMs: 65_000,
  ...changes,
});

interface Terminal {
  readonly isTTY: boolean;
  readonly rows?: number;
  columns?: number;
}

function shownOn(
  terminal: Terminal,
  environment: NodeJS.ProcessEnv = {},
  see: (text: string) => void = () => {},
) {
  const written: string[] = [];
  const write = (text: string) => {
    written.push(text);
    see(text);
  };
  const stream = Object.assign(terminal, { write });
  const { show, stand, clear } = progressDisplay(stream, environment);
  return {
    line: { show: (progress: Progress) => show(runDescriber({})(progress)), stand, clear },
    text: () => written.join(""),
  };
}

const LINE = "[1/2] trig · start 1 · measuring · about 1 min 5 s left";
/** The same in a file: a line for a start says no phase, since it has several. */
const STEP = LINE.replace(" · measuring", "");

test("a terminal has what was found so far and the line of progress, both rewritten in place", () => {
  const { line, text } = shownOn({ isTTY: true, rows: 24, columns: 100 });
  line.show(at());
  line.stand(["case  workerd", "trig  faster"]);
  line.show(at({ etaMs: 500 }));
  line.show(at());
  line.clear();
  expect(text()).toBe(
    [
      LINE,
      "\r\u001b[J",
      `case  workerd\ntrig  faster\n${LINE.replace("about 1 min 5 s left", "ending")}`,
      "\r\u001b[2A\u001b[J",
      `case  workerd\ntrig  faster\n${LINE}`,
      "\r\u001b[2A\u001b[J",
    ].join(""),
  );
});

test("what is higher than the terminal is left to the report, and a line is no longer than the terminal is wide", () => {
  const { line, text } = shownOn({ isTTY: true, rows: 3, columns: 12 });
  line.stand(["a", "b", "c"]);
  line.show(at());
  expect(text()).toBe(LINE.slice(0, 11));
});

test("elsewhere there is a line for each start of a case, and the table once a turn", () => {
  const { line, text } = shownOn({ isTTY: false });
  line.show(at({ phase: "start" }));
  line.show(at({ roundIndex: 5 }));
  line.stand(["case  workerd", "trig  faster"]);
  line.show(at({ caseId: "math", caseIndex: 1 }));
  line.show(at({ trial: 1 }));
  line.clear();
  const second = STEP.replace("[1/2] trig", "[2/2] math");
  expect(text()).toBe(
    `${STEP}\ncase  workerd\ntrig  faster\n${second}\n${STEP.replace("start 1", "start 2")}\n`,
  );
});

test("a path of one's own server is called by the path", () => {
  const { text } = runDescriber({ own: [{ id: "root", title: "/" }] })(at({ caseId: "root" }));
  expect(text).toMatch(/^\[1\/2\] \/ · start 1 /);
});

const TABLE = [
  "So far, after 3 trials of ten at most, all of it open:",
  "",
  "  \u001b[1mcase\u001b[0m  workerd                     vercel",
  "  \u001b[31mtrig  slower than in any other place\u001b[0m",
];

/** On a terminal that is high enough for all. */
function shownOnScreen(columns: number, table: readonly string[] = TABLE) {
  const terminal = { isTTY: true, rows: 24, columns };
  const screen = new Screen(columns);
  const shown = shownOn(terminal, {}, (text) => screen.write(text));
  shown.line.stand(table);
  return { ...shown, screen, terminal };
}

test.each([120, 56, 34, 20, 7])(
  "at %i columns nothing is left standing, a line takes one row, and no colour stays on",
  (columns) => {
    const { line, screen, text } = shownOnScreen(columns);
    for (let round = 0; round < 20; round += 1) {
      line.show(at({ roundIndex: round }));
    }
    expect(screen.rows.map((row) => row.slice(0, 6))).toEqual(["So far", "  case", "  trig", "[1/2] "]);
    expect(text().split("\u001b[0m")).toHaveLength(20 * 2 + 1);
    line.clear();
    expect(screen.rows).toEqual([]);
  },
);

test.each([
  [100, 34],
  [34, 21],
  [34, 100],
])("nothing is left standing where a terminal of %i columns gets %i", (before, after) => {
  const { line, screen, terminal } = shownOnScreen(before);
  line.show(at());
  terminal.columns = after;
  screen.resize(after);
  line.show(at({ roundIndex: 5 }));
  expect(screen.rows).toHaveLength(TABLE.length);
  line.clear();
  expect(screen.rows).toEqual([]);
});

test("letters that take two columns, and marks that take none, are counted so", () => {
  const { line, text } = shownOnScreen(13, [
    "日本語のケース",
    "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301",
  ]);
  line.show(at());
  expect(text()).toBe(`日本語のケー\n${"e\u0301".repeat(7)}\n${LINE.slice(0, 12)}`);
});

test("a dumb terminal gets lines, and nothing that moves its cursor", () => {
  const { line, text } = shownOn({ isTTY: true, rows: 24, columns: 80 }, { TERM: "dumb" });
  line.show(at());
  line.stand(["case  workerd"]);
  line.show(at({ roundIndex: 5 }));
  line.clear();
  expect(text()).toBe(`${STEP}\ncase  workerd\n`);
});

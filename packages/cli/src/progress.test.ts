import type { Progress } from "@evenbench/runner";
import { expect, test } from "vitest";
import { describeRun, progressDisplay } from "./progress.ts";

const at = (changes: Partial<Progress> = {}): Progress => ({
  ...{ phase: "measure", caseId: "trig", caseIndex: 0, caseCount: 2, trial: 0, trials: 10, roundIndex: 4 },
  ...{ etaMs: 65_000, ...changes },
});

function shownOn(terminal: { readonly isTTY: boolean; readonly rows?: number; readonly columns?: number }) {
  const written: string[] = [];
  const stream = { ...terminal, write: (text: string) => written.push(text) };
  const { show, stand, clear } = progressDisplay(stream as unknown as NodeJS.WriteStream);
  return {
    line: { show: (progress: Progress) => show(describeRun(progress)), stand, clear },
    text: () => written.join(""),
  };
}

const LINE = "[1/2] trig · measuring · trial 1 of 10 at most · round 5 · 1 min 5 s left";

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
      `case  workerd\ntrig  faster\n${LINE.replace("1 min 5 s left", "ending")}`,
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

test("elsewhere there is a line at each change of case, and the table once a turn", () => {
  const { line, text } = shownOn({ isTTY: false });
  line.show(at());
  line.show(at({ roundIndex: 5 }));
  line.stand(["case  workerd", "trig  faster"]);
  line.show(at({ caseId: "math", caseIndex: 1 }));
  line.clear();
  expect(text()).toBe(`${LINE}\ncase  workerd\ntrig  faster\n${LINE.replace("[1/2] trig", "[2/2] math")}\n`);
});

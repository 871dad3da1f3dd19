// For facts drawn at random all media say the same verdicts, counts and marks. The test counts by itself: it takes no
// selection, count, mark or notation from the code that it tests.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "@evenbench/stats/random";
import { parseHTML } from "linkedom";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { drawnFacts } from "../../test/drawn-facts.ts";
import { cellOf, countsOf, drawn, isMarked } from "../../test/oracle.ts";
import type { Facts, Flag, Metric } from "../facts/facts.ts";
import { foundAt } from "../facts/notices.ts";
import { FLAG_WORDS } from "../words/mark.ts";
import { csv } from "./csv.ts";
import { junit } from "./junit.ts";
import { readme } from "./readme.ts";
import { share } from "./share.ts";
import { terminal } from "./terminal.ts";
import { bmf, smallerIsBetter } from "./trackers.ts";

const WIDTH = 80;
const TERMINAL = { width: WIDTH, color: false };

/** The media that are text of their own. Their Markdown is as one reads it: without escapes. */
const TEXTS: Readonly<Record<string, (facts: Facts) => string>> = {
  terminal: (facts) => terminal(facts, { ...TERMINAL, report: "results/run/report.html" }),
  share: (facts) => unescaped(share(facts)),
  readme: (facts) => unescaped(readme(facts, "facts.json")),
};

const ALL: readonly Facts[] = Array.from({ length: 150 }, (_, seed) => drawnFacts(seededRandom(seed + 1)));

function unescaped(markdown: string): string {
  return markdown
    .replace(/\\([\\`*_{}[\]#|~!])/g, "$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&")
    .replaceAll("\u200b", "");
}

/** A text without blanks: however its lines are broken. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, "");
}

function countIn(text: string, part: string): number {
  return squeezed(text).split(squeezed(part)).length - 1;
}

/** The metrics whose changes a text shows in cells: all of an app's are rows, and CPU time is else only counted. */
function shownMetrics({ run }: Facts): readonly Metric[] {
  const shown: readonly Metric[] = ["lastByteMs", "coldStartMs", "startupCpuMs"];
  return run.of === "app" ? [...shown, "cpuMs"] : shown;
}

describe.each(Object.entries(TEXTS))("in the text of the %s", (_, write) => {
  const texts = new Map(ALL.map((facts) => [facts, write(facts)]));
  const textOf = (facts: Facts) => texts.get(facts) ?? "";

  test("every comparison has its cell, as often as it was found", () => {
    for (const facts of ALL) {
      const text = textOf(facts);
      const shown = shownMetrics(facts).flatMap((metric) => drawn(facts, metric));
      for (const [cell, alike] of Map.groupBy(shown, cellOf)) {
        expect(countIn(text, cell), `${cell}\n${text}`).toBeGreaterThanOrEqual(alike.length);
      }
    }
  });

  test("every platform has its counts, and none of other roles or places", () => {
    for (const facts of ALL) {
      const text = textOf(facts);
      const noun = facts.cases.some(({ path }) => path !== null) ? "path" : "case";
      for (const [index, { name: column, said }] of countsOf(facts, "lastByteMs").entries()) {
        const whole = said.replace(/of (\d+)/, (of, all) => `${of} ${noun}${all === "1" ? "" : "s"}`);
        const [sentence, start] = index === 0 ? [whole, ": "] : [said, `${column}: `];
        expect(countIn(text, `${start}${sentence}.`), `${column}: ${sentence}\n${text}`).toBeGreaterThan(0);
      }
    }
  });

  test("the mark is explained exactly where a decided verdict has a flag, with each reason", () => {
    for (const facts of ALL) {
      const text = textOf(facts);
      const marked = shownMetrics(facts)
        .flatMap((metric) => drawn(facts, metric))
        .filter(isMarked);
      expect(countIn(text, "* less sure:"), text).toBe(marked.length > 0 ? 1 : 0);
      for (const flag of new Set<Flag>(marked.flatMap(({ flags }) => flags))) {
        expect(countIn(text, FLAG_WORDS[flag]), text).toBe(1);
      }
    }
  });

  test("what is void stands first, then how the run ended, then what was found", () => {
    for (const facts of ALL) {
      const text = textOf(facts);
      const isVoid = facts.notices.some(({ weight }) => weight === "void");
      const isCut = facts.run.status !== "complete";
      expect(text.startsWith("✕"), text).toBe(isVoid || isCut);
      const { status } = facts.run;
      const isUnfinished = status === "failed" || status === "running";
      expect(countIn(text, "The run was stopped"), text).toBe(status === "interrupted" ? 1 : 0);
      expect(countIn(text, "The run did not finish"), text).toBe(isUnfinished ? 1 : 0);
      expect(countIn(text, "Nothing was compared."), text).toBe(
        drawn(facts, "lastByteMs").length === 0 ? 1 : 0,
      );
    }
  });

  test("where the usual baseline is absent, that and what stands in its place is said before the counts", () => {
    for (const facts of ALL) {
      const text = textOf(facts);
      const [usual] = facts.targets;
      const isSaid = usual?.absent != null && facts.changes.some(({ role }) => role === "main");
      expect(countIn(text, "not built, so the others are compared with "), text).toBe(isSaid ? 1 : 0);
    }
  });

  test("counts by CPU time are those of its own verdicts", () => {
    for (const facts of ALL) {
      const said = countsOf(facts, "cpuMs").map(({ name, said: words }) => `${name} ${words}`);
      const text = textOf(facts);
      expect(countIn(text, `CPU time: ${said.join("; ")}.`), text).toBe(said.length === 0 ? 0 : 1);
    }
  });

  test("every caution is there once, also of a code that nobody knows", () => {
    for (const facts of ALL) {
      const text = textOf(facts);
      const codes = facts.notices.map(({ code }) => code);
      expect(countIn(text, "The machine was unsteady")).toBe(codes.includes("machine-unsteady") ? 1 : 0);
      expect(countIn(text, "Of a newer version")).toBe(codes.includes("of-a-newer-version") ? 1 : 0);
      expect(countIn(text, "judged by its intervals, without samples")).toBe(
        facts.run.judgedFrom === "ends" ? 1 : 0,
      );
    }
  });
});

test("the terminal has no line that is wider than it is, but for the command of the first step", () => {
  const commands = ALL.flatMap((facts) => {
    const lines = terminal(facts, { ...TERMINAL, report: null }).split("\n");
    const shown = lines.filter((line) => line.startsWith("  npm run bench -- "));
    for (const line of lines.filter((each) => !shown.includes(each))) {
      expect(stringWidth(line), line).toBeLessThanOrEqual(WIDTH);
    }
    const steps = facts.run.command === null ? [] : facts.next.slice(0, 1);
    expect(shown, lines.join("\n")).toHaveLength(steps.length);
    for (const { open } of steps) {
      expect(countIn(lines.join(" "), `${open} that `)).toBeGreaterThan(0);
    }
    return shown;
  });
  expect(commands.filter((line) => !line.includes(" --trials 40"))).toEqual([]);
  expect(commands.filter((line) => stringWidth(line) > WIDTH)).not.toEqual([]);
});

/** The newest run whose numbers documents have: all cases of a default run. */
function keptRun(): Facts {
  const folder = join(import.meta.dirname, "../../../../docs/findings");
  const [newest = ""] = globSync("*/facts.json", { cwd: folder }).sort().reverse();
  return JSON.parse(readFileSync(join(folder, newest), "utf8"));
}

test("a default run ends in at most 20 lines of the terminal, also with a mark, on an unsteady machine", () => {
  const kept = keptRun();
  const found = kept.cases.slice(1).map(({ id }) => foundAt({ case: id, numbers: { longer: 0.62 } }));
  const facts: Facts = {
    ...kept,
    changes: kept.changes.map((change) =>
      change.case === "sveltekit-page" ? { ...change, flags: ["drifted", "client-waited"] } : change,
    ),
    notices: [{ code: "machine-unsteady", weight: "caution", found }],
  };
  const text = terminal(facts, { ...TERMINAL, report: `results/${facts.run.id}/report.html` });
  expect(text.split("\n").length, text).toBeLessThanOrEqual(20);
  for (const part of ["* less sure", "unsteady", "Report:", "To decide"]) {
    expect(text).toContain(part);
  }
});

test("each cell of the table that is pasted is that of its case and platform", () => {
  for (const facts of ALL.filter(({ run }) => run.of === "cases")) {
    const columns = countsOf(facts, "lastByteMs").map((column) => column.name);
    const rows = share(facts)
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .map((line) => line.split(/(?<!\\)\|/).map((cell) => unescaped(cell).trim()));
    const times = drawn(facts, "lastByteMs");
    const ofTimes = times.length === 0 ? [] : rows.slice(2, 2 + facts.cases.length * 2);
    const byCase = ofTimes.filter(([, title]) => title !== "first byte").slice(0, facts.cases.length);
    for (const [index, row] of byCase.entries()) {
      const own = times.filter((change) => change.case === facts.cases[index]?.id);
      const expected = columns.map((column) => {
        const change = own.find(
          ({ target }) => facts.targets.find((of) => of.name === target)?.column === column,
        );
        return change === undefined ? "" : cellOf(change);
      });
      expect(row.slice(3, -1), share(facts)).toEqual(expected);
    }
  }
});

test("the spreadsheet has a line for each target of a case, with its verdict, reason and marks", () => {
  for (const facts of ALL) {
    const [head = [], ...rows] = readCsv(csv(facts));
    const at = (row: readonly string[], column: string) => row[head.indexOf(column)];
    const measured = facts.levels.filter(
      ({ metric, target }) => metric === "lastByteMs" && !target.endsWith("~copy"),
    );
    expect(rows).toHaveLength(measured.length);
    for (const change of drawn(facts, "lastByteMs")) {
      const row = rows.filter(
        (cells) => at(cells, "case") === change.case && plain(at(cells, "target")) === change.target,
      );
      expect(row).toHaveLength(1);
      const [cells = []] = row;
      expect([at(cells, "verdict"), at(cells, "why"), at(cells, "less_sure")]).toEqual([
        change.verdict,
        change.why ?? "",
        change.flags.join(" "),
      ]);
      for (const end of ["low", "high"] as const) {
        const value = change[end];
        const [column, wanted] =
          change.unit === "ms" ? [`${end}_ms`, value ?? 0] : [`${end}_percent`, 100 * ((value ?? 1) - 1)];
        expect(Number(at(cells, column))).toBeCloseTo(Number(wanted.toPrecision(4)), 1);
      }
    }
    for (const { case: caseId, target, estimate, verdict } of facts.trends) {
      const cells =
        rows.find((row) => at(row, "case") === caseId && plain(at(row, "target")) === target) ?? [];
      expect([Number(at(cells, "heap_growth_bytes")), at(cells, "heap_growth_verdict")]).toEqual([
        estimate,
        verdict,
      ]);
    }
    for (const { target, verdict } of drawn(facts, "startupCpuMs")) {
      const own = rows.filter((row) => plain(at(row, "target")) === target);
      expect(new Set(own.map((row) => at(row, "startup_verdict")))).toEqual(new Set([verdict]));
    }
  }
});

/** Reads comma-separated values (RFC 4180). */
function readCsv(text: string): readonly (readonly string[])[] {
  const cells = [...text.matchAll(/("(?:[^"]|"")*"|[^,\r]*)(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, cell = "", end] of cells) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === "\r\n") {
      rows.push([]);
    }
  }
  return rows.slice(0, -1);
}

/** A text of a spreadsheet without the apostrophe that keeps it from being a formula. */
function plain(text = ""): string {
  return text.replace(/^'/, "");
}

/** What Bencher takes, by its schema (https://bencher.dev/bmf.json), and by the lengths that its documentation allows. */
const BMF_SCHEMA = z.record(
  z.string().min(1).max(1024),
  z.record(
    z.string().regex(/^[a-z][a-z-]{0,63}$/),
    z.strictObject({
      value: z.number(),
      lower_value: z.number().optional(),
      upper_value: z.number().optional(),
    }),
  ),
);

/** The numbers that an export has to have: levels of originals, and ratios with an interval. */
function exported(facts: Facts): readonly number[] {
  const metrics: readonly Metric[] = [
    "lastByteMs",
    "firstByteMs",
    "cpuMs",
    "coldStartMs",
    "memoryBytes",
    "startupCpuMs",
  ];
  return metrics.flatMap((metric) => [
    ...facts.levels
      .filter((level) => level.metric === metric && !level.target.endsWith("~copy"))
      .map(({ value }) => value ?? Number.NaN),
    ...drawn(facts, metric)
      .filter(({ estimate, unit }) => estimate !== null && unit === "ratio")
      .map(({ estimate }) => estimate ?? Number.NaN),
  ]);
}

test("Bencher gets every number once, by its schema, times in nanoseconds", () => {
  for (const facts of ALL) {
    const benchmarks = Object.entries(BMF_SCHEMA.parse(JSON.parse(bmf(facts))));
    const values = benchmarks.flatMap(([, measures]) =>
      Object.entries(measures).map(([measure, { value }]) =>
        /-ratio$|-growth$|^resident-memory$/.test(measure) ? value : value / 1e6,
      ),
    );
    const wanted = [...exported(facts), ...facts.trends.map(({ estimate }) => estimate ?? Number.NaN)];
    expect(values.toSorted((a, b) => a - b).map((value) => value.toPrecision(9))).toEqual(
      wanted.toSorted((a, b) => a - b).map((value) => value.toPrecision(9)),
    );
  }
});

test("github-action-benchmark gets every number but growth under a name of its own", () => {
  for (const facts of ALL) {
    const entries = z
      .array(
        z.strictObject({
          name: z.string(),
          unit: z.enum(["ms", "bytes", "ratio"]),
          value: z.number(),
          range: z.string().optional(),
          extra: z.string(),
        }),
      )
      .parse(JSON.parse(smallerIsBetter(facts)));
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
    const numbers = entries.map(({ value }) => value);
    const wanted = exported(facts);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(wanted.toSorted((a, b) => a - b));
  }
});

test("JUnit gets a test for each comparison: what is slower failed, and what is undecided was skipped", () => {
  for (const facts of ALL) {
    const { document } = parseHTML(junit(facts));
    const outcomes = [...document.querySelectorAll("testcase")].map((each) => ({
      column: each.getAttribute("classname"),
      became: each.firstElementChild?.localName ?? "passed",
      cell: each.firstElementChild?.getAttribute("message") ?? "",
      content: each.textContent ?? "",
    }));
    const wanted = drawn(facts, "lastByteMs").map((change) => {
      const became = {
        slower: "failure",
        unclear: "skipped",
        none: "skipped",
        faster: "passed",
        same: "passed",
      };
      const said = became[change.verdict] === "passed" ? "" : cellOf(change);
      return {
        column: facts.targets.find(({ name }) => name === change.target)?.column,
        became: became[change.verdict],
        cell: said,
        content: said,
      };
    });
    const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    expect(outcomes.toSorted(byText)).toEqual(wanted.toSorted(byText));
    const [suite] = document.querySelectorAll("testsuite");
    expect(Number(suite?.getAttribute("tests"))).toBe(wanted.length);
    const failed = wanted.filter(({ became }) => became === "failure");
    expect(Number(suite?.getAttribute("failures"))).toBe(failed.length);
  }
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatChange } from "@evenbench/page";
import { readSummary } from "@evenbench/results";
import { isDifference } from "@evenbench/stats";
import { describe, expect, test } from "vitest";
import { analysed, analysedWithCpu, withVerdict } from "../../test/synthetic.ts";
import type { ReportData } from "../data.ts";
import { resultsTable, shareText } from "../index.ts";
import { summaryOf } from "../summary.ts";

const summarised = (data: ReportData) => ({ run: data.run, summary: summaryOf(data) });
const tableOf = (data: ReportData) => resultsTable(summarised(data));
const shareOf = (data: ReportData) => shareText(summarised(data));

test("the table of results has a row for each case: its time on the baseline, then the changes of time and CPU time; bold is a difference", () => {
  const data = analysedWithCpu({ rounds: 40 });
  const [head, , ...rows] = tableOf(data)
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const columns = ["Cloudflare's workerd", "Vercel's adapter"].flatMap((name) => [name, `${name}, CPU time`]);
  expect(head).toEqual(["", "Case", "Node.js", ...columns, ""]);
  const titles = ["Empty", "React page", "React page, each platform's own build \\*", "Trigonometry"].map(
    (title) => `${title}, 100\u00a0B`,
  );
  expect(rows.slice(0, 4).map(([, title]) => title)).toEqual(titles);
  const ratio = data.cases[3]?.headline?.comparisons[0]?.ratio ?? null;
  expect(rows[3]?.[3]).toBe(`**▶ ${formatChange(ratio)}**`.replaceAll(" ", "\u00a0"));
  expect(rows[1]?.[3]).toMatch(/^=\ssame,\s\S+\s%\s\(/u);
  expect(rows[3]?.[2]).toMatch(/^30\.\d ms$/);
});

test("a table explains what is the same only where a shown row is", () => {
  const { run, summary } = summarised(analysed({ rounds: 40 }));
  const rows = summary.rows.map((row) => (row.verdict === "same" ? { ...row, verdict: "unclear" } : row));
  expect(resultsTable({ run, summary })).toContain(
    "Same: within 5 % by the 90 % interval (narrower than the one shown).",
  );
  expect(resultsTable({ run, summary: { ...summary, rows } })).not.toContain("Same:");
});

test("a run of baselines alone has no table, in one line", () => {
  const data = analysed({ rounds: 5 });
  const targets = data.run.plan.targets.filter(({ name }) => name.startsWith("node"));
  const run = { ...data.run, plan: { ...data.run.plan, targets } };
  expect(() => resultsTable({ run, summary: summaryOf(data) })).toThrow(/^This run compared nothing/);
});

describe("the numbers in README.md and docs/findings/three-platforms.md", async () => {
  const root = join(import.meta.dirname, "../../../..");
  const page = await readFile(join(root, "docs/findings/three-platforms.md"), "utf8");
  const readme = await readFile(join(root, "README.md"), "utf8");
  const [, folder = ""] = /\]\(([\d-]+)\/summary\.json\)/.exec(page) ?? [];
  const kept = await readSummary(join(root, "docs/findings", folder));
  const linesOf = (text: string) => text.split("\n\n")[0] ?? "";

  test("are the tables of the run that both name", () => {
    expect(readme).toContain(`](docs/findings/${folder}/summary.json)`);
    const whole = linesOf(resultsTable(kept));
    expect(whole.split("\n").length).toBeGreaterThan(5);
    expect(page).toContain(whole);
    expect(readme).toContain(linesOf(resultsTable(kept, { withCpu: false })));
  });

  test("are in the end of the terminal's output, which README.md has word for word", async () => {
    const terminal = await readFile(join(root, "docs/findings", folder, "terminal.txt"), "utf8");
    expect(readme).toContain(`\n${terminal.trimEnd()}\n`);
    const changes = kept.summary.rows.flatMap(({ headline, ratio, verdict }) =>
      headline && ratio !== null && isDifference(verdict) ? formatChange(ratio) : [],
    );
    expect(changes.length).toBeGreaterThan(0);
    expect(changes.filter((change) => !terminal.includes(change))).toEqual([]);
  });
});

test("what is pasted has the answer, a line for each case, what it does not say, the command and the run", () => {
  const data = analysed({ rounds: 60 });
  const [answer, , head, , ...lines] = shareOf(data).split("\n");
  expect(answer).toBe(data.summary.sentences.join(" "));
  expect(head).toMatch(/^\| Case +\| +Node\.js \| Cloudflare's workerd +\| Vercel's adapter +\|$/);
  expect(lines.slice(0, 4).every((line) => line.startsWith("| "))).toBe(true);
  expect(lines.slice(4)).toEqual([
    "",
    "Change of the median against the baseline, with its 99 % interval: − takes less, + takes more. Bold: a difference. Behind a case: the size of one answer. Same: within 5 % by the 90 % interval (narrower than the one shown).",
    "Local run, not the platforms' networks or hardware: one machine, A synthetic processor, 2 cores; 5 trials a case, warm code, no network.",
    "Node.js 24.21.0 · workerd 1.20261117.1.",
    "",
    "npm run bench -- --case empty,react-ssr,trig,react-ssr-native",
    "Evenbench 0.1.0, run synthetic",
  ]);
  const source = {
    commit: "0".repeat(40),
    changed: false,
    repository: "https://github.com/someone/evenbench",
  };
  const form = "https://github.com/someone/evenbench/issues/new?template=measured.yml";
  expect(
    shareOf({ ...data, run: { ...data.run, source } })
      .split("\n")
      .at(-1),
  ).toBe(`Does it hold on your machine? Attach summary.json: ${form}`);
  expect(shareOf({ ...data, run: { ...data.run, identities: {} } })).not.toMatch(/^\.$/m);
  const notice = { severity: "caution" as const, title: "Requests failed", details: ["x"], remedy: "y" };
  expect(shareOf({ ...data, notices: [notice] })).toContain("no network. Notices: Requests failed.");
});

test("what is not warm has no number to paste, and no code is called warm where no instances were", () => {
  const cold = withVerdict(analysed({ rounds: 20 }), "not warm");
  expect(tableOf(cold)).toMatch(/^\| Empty, 100\sB +\| +0\.\d+ ms \| ✕\snot\swarm +\|/m);
  expect(shareOf(cold)).toMatch(/ trials a case, no network\./);
});

import { createHash } from "node:crypto";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import {
  joinAccounts,
  readSummary,
  requestId,
  SampleTable,
  summarySchema,
  writeProviderCpu,
} from "@evenbench/results";
import { parseHTML } from "linkedom";
import { beforeEach, describe, expect, test } from "vitest";
import { analysed, syntheticRun, syntheticSamples, writeSyntheticRun } from "../test/synthetic.ts";
import { analyseRun } from "./analyse-run.ts";
import { renderCsv } from "./export/csv.ts";
import { renderMarkdown } from "./export/markdown.ts";
import {
  compareRuns,
  createReport,
  readHistory,
  renderComparison,
  renderHistory,
  renderTerminal,
} from "./index.ts";
import { summaryOf } from "./summary.ts";
import { answers } from "./words/columns.ts";
import { headline } from "./words/head.ts";

const plainOutput = { width: 100, color: false };
const given = { rounds: 20, failEvery: 7 };
const run = syntheticRun(given);
const samples = [...syntheticSamples(run, given)];

/**
 * The platform's account of nearly all requests to one case: of the shape that Cloudflare documents, whole
 * milliseconds.
 */
function accounted() {
  const measured = samples.filter(
    ({ caseId, target, phase, error }) =>
      caseId === "trig" && target === "vercel" && phase === "measure" && error === null,
  );
  const accounts = measured
    .filter(({ roundIndex }) => roundIndex % 5 !== 0)
    .map((key, n) => ({ requestId: requestId(run.id, key), cpuMs: 11 + (n % 3), wallMs: 31 }));
  return joinAccounts(run.id, measured, accounts);
}

describe("a report of a folder", () => {
  let directory = "";
  let folder = "";
  folderOfEachTest((made) => {
    directory = made;
  });
  beforeEach(async () => {
    folder = await writeSyntheticRun(directory, given);
  });

  test("has the same bytes when it is made again, and shows its answer and picture where a link to it is shown", async () => {
    const first = await createReport(folder, plainOutput);
    const files = [first.htmlFile, first.markdownFile, first.cardFile, join(folder, "card.svg")];
    const digests = async () => {
      const all = await Promise.all(files.map((file) => readFile(file)));
      return all.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
    };
    const before = await digests();
    expect(new Set(before).size).toBe(files.length);
    expect((await createReport(folder, plainOutput)).terminal).toBe(first.terminal);
    expect(await digests()).toEqual(before);

    const [head = ""] = (await readFile(first.htmlFile, "utf8")).split("</head>");
    const { document } = parseHTML(head);
    const meta = (property: string) =>
      document.querySelector(`meta[property="${property}"]`)?.getAttribute("content");
    expect(meta("og:title")).toBe(headline(first.facts));
    expect(meta("og:image:alt")).toBe(meta("og:title"));
    expect(meta("og:description")).toContain(answers(first.facts)[1]);
    expect(join(dirname(first.htmlFile), meta("og:image") ?? "")).toBe(first.cardFile);
  });

  test("comes with the same numbers as JSON and as CSV", async () => {
    await expect(readSummary(folder)).rejects.toThrow(/No summary in .*npm run bench -- report/);
    const { data } = await createReport(folder, plainOutput);
    const summary = summarySchema.parse(JSON.parse(await readFile(join(folder, "summary.json"), "utf8")));
    expect(summary.rows).toHaveLength(4 * 3 * 2);
    const isCell = ({ caseId, target }: { caseId: string; target: string }) =>
      caseId === "trig" && target === "cloudflare";
    const row = summary.rows.find((row) => isCell(row) && row.headline);
    const found = data.cases.flatMap(({ headline }) => headline?.comparisons ?? []).find(isCell);
    expect(row?.ratio?.estimate).toBe(found?.ratio?.estimate);
    expect(row?.cpuRatio?.estimate).toBeCloseTo(2.4, 6);
    const csv = await readFile(join(folder, "summary.csv"), "utf8");
    const [head = [], ...lines] = csv.split("\r\n").map((line) => line.split(","));
    const cells =
      lines.find((line) => line.join().startsWith("trig,Trigonometry,Cloudflare's workerd,")) ?? [];
    const [time = 0, high = 0] = ["time_ms", "high_percent"].map((name) => Number(cells[head.indexOf(name)]));
    expect(time / (row?.medianMs ?? 0)).toBeCloseTo(1, 3);
    expect(high / (100 * ((row?.ratio?.high ?? 0) - 1))).toBeCloseTo(1, 3);
  });

  test("what was made of all samples is not replaced by what is left of them, unless it is asked for", async () => {
    await createReport(folder, plainOutput);
    const summary = await readFile(join(folder, "summary.json"), "utf8");
    await writeFile(join(folder, "samples.ndjson"), "");
    const again = (keepsWhole: boolean) => createReport(folder, plainOutput, { keepsWhole });
    const refusal = /the run wrote \d+\. A report of the rest would replace .* add --anyway\./;
    await expect(again(true)).rejects.toThrow(refusal);
    expect(await readFile(join(folder, "summary.json"), "utf8")).toBe(summary);
    const { data, terminal } = await again(false);
    expect(data.notices[0]).toMatchObject({ severity: "void", title: "What was measured is damaged" });
    expect(terminal).toMatch(
      /^! What was measured is damaged: samples\.ndjson was changed after the run: it has 0 samples/,
    );
    await rm(join(folder, "samples.ndjson"));
    await expect(again(false)).rejects.toThrow("or read the table that is there: --table.");
  });

  test("has the accounts of its platforms up to a damage, which is said", async () => {
    await writeProviderCpu(folder, accounted());
    await appendFile(join(folder, "provider-cpu.ndjson"), '{"caseId":"tr');
    const { data, facts } = await createReport(folder, plainOutput);
    const accounts = facts.levels.filter(({ metric }) => metric === "platformCpuMs");
    expect(accounts.map(({ case: of, target }) => [of, target])).toEqual([["trig", "vercel"]]);
    expect(data.notices[0]?.details[0]).toMatch(/provider-cpu\.ndjson is damaged: line 81 is cut off/);
  });

  test.each(["0.000001", "1000000000000"])(
    "has numbers in every text of times that are all %s ms",
    async (ms) => {
      const file = join(folder, "samples.ndjson");
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replace(/("(?:first|last)ByteMs":)[\d.]+/g, `$1${ms}`));
      const { data, terminal, markdown, htmlFile, summary } = await createReport(folder, plainOutput);
      const compared = await compareRuns(folder, folder, { anyway: true });
      const history = await readHistory(directory, { anyway: true });
      const others = [
        await readFile(htmlFile, "utf8"),
        JSON.stringify(summary),
        renderCsv(summary, data.run),
      ];
      for (const made of [
        terminal,
        markdown,
        ...others,
        renderComparison(compared),
        renderHistory(history),
      ]) {
        expect(made).not.toMatch(/NaN|Infinity/);
      }
    },
  );
});

test("a target's CPU time by its platform has an interval, and its join rate, in every form", () => {
  const data = analyseRun(run, SampleTable.from(samples), { accounts: accounted() });
  const [trig] = data.cases.filter(({ manifest }) => manifest.id === "trig");
  const [vercel, ...others] = trig?.providerCpu ?? [];
  expect([others, data.cases[0]?.providerCpu]).toEqual([[], []]);
  const covered = { exchanges: 100, joined: 80 };
  expect(vercel).toMatchObject({ ...covered, accountant: "Vercel's adapter's account" });
  expect(vercel?.msPerRequest).toBeCloseTo(12, 1);
  const { low = 0, high = 0 } = vercel?.interval ?? {};
  expect([low < 12, high > 12, high < 13]).toEqual([true, true, true]);

  const rows = summaryOf(data).rows.filter(({ caseId, headline }) => caseId === "trig" && headline);
  const expected = { ...covered, msPerRequest: vercel?.msPerRequest, interval: vercel?.interval };
  expect(rows.find(({ target }) => target === "vercel")?.providerCpu).toMatchObject(expected);
  expect(rows.find(({ target }) => target === "node")?.providerCpu).toBeNull();
});

test("summary.csv has no cell that a spreadsheet takes for a formula, and leaves numbers numbers", () => {
  const data = analysed({ rounds: 5 });
  const { rows, ...summary } = summaryOf(data);
  const [first] = rows as [(typeof rows)[number]];
  const named = ["=1+1", "+1", "-1", "@SUM(1)", "\tx", "a=1", '=HYPERLINK("x","y")'];
  const changed = named.map((target) => ({ ...first, headline: true, target, medianMs: -1.5 }));
  const [head = [], ...lines] = renderCsv({ ...summary, rows: changed }, data.run)
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
  const columnOf = (name: string) => lines.slice(0, -1).map((line) => line[head.indexOf(name)]);
  expect(columnOf("target")).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(1)", "'\tx", "a=1"]);
  expect(new Set(columnOf("time_ms"))).toEqual(new Set(["-1.5"]));
  expect(lines.at(-1)?.join()).toContain(`,"'=HYPERLINK(""x"",""y"")",`);
});

test("text from data cannot become markup, a mention, a cell's end or a control character", () => {
  const text = "<img>|@someone `x` [a](b)\n# head";
  const outsideCode = renderMarkdown(analysed({ rounds: 5, failEvery: 2, text })).replace(/```.*?```/gs, "");
  expect(outsideCode).not.toMatch(/<img>|@someone|(?<!\\)`x|(?<!\\)\[a|^# head/m);
  const controlled = analysed({ rounds: 5, failEvery: 2, text: "\u001b[2J\u0007\r\n" });
  const shown = renderTerminal(controlled, plainOutput);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be absent.
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test("the terminal has a row for each case with its interval, and a command for each reason; no line is longer than it", () => {
  const data = analysed({ rounds: 20, failEvery: 7 });
  const blocks = renderTerminal(data, plainOutput).trimEnd().split("\n\n");
  expect(blocks.at(-1)).toMatch(/notice.*Requests failed/s);
  const table = blocks.find((block) => block.startsWith("case ")) ?? "";
  expect(table).toMatch(/^trig +▶ \+\d+ % \(\+\d+ to \+\d+\)/m);
  expect(table.split("\n")).toHaveLength(1 + 4);
  expect(blocks.some((block) => block.startsWith("Cloudflare's workerd"))).toBe(true);
  for (const width of [80, 40]) {
    const lines = renderTerminal(data, { width, color: false }).split("\n");
    const others = lines.filter((line) => !line.startsWith("  npm run"));
    expect(Math.max(...others.map((line) => line.length))).toBeLessThanOrEqual(width);
  }
});

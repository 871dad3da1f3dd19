import { createHash } from "node:crypto";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SampleTable, summarySchema } from "@evenbench/results";
import { parseHTML } from "linkedom";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { analysed, syntheticRun, syntheticSamples, writeSyntheticRun } from "../test/synthetic.ts";
import { renderCsv, summaryOf } from "./export/summary.ts";
import {
  analyseRun,
  createReport,
  exportHyperfine,
  readPrices,
  renderHtml,
  renderMarkdown,
  renderTerminal,
} from "./index.ts";

const plainOutput = { width: 100, color: false };
const digestOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

describe("a report of a folder", () => {
  let directory = "";
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "evenbench-report-"));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test("has the same bytes when it is made again", async () => {
    const folder = await writeSyntheticRun(directory, { rounds: 20, failEvery: 7 });
    const first = await createReport(folder, plainOutput);
    const files = [first.htmlFile, first.markdownFile, first.cardFile, join(folder, "card.svg")];
    const digests = () => Promise.all(files.map(async (file) => digestOf(await readFile(file))));
    const before = await digests();
    expect(new Set(before).size).toBe(files.length);
    const second = await createReport(folder, plainOutput);
    expect(second.terminal).toBe(first.terminal);
    expect(await digests()).toEqual(before);
  });

  test("shows its answer and its picture where a link to it is shown", async () => {
    const { htmlFile, cardFile, data } = await createReport(
      await writeSyntheticRun(directory, { rounds: 20 }),
      plainOutput,
    );
    const [head = ""] = (await readFile(htmlFile, "utf8")).split("</head>");
    const { document } = parseHTML(head);
    const of = (property: string) =>
      document.querySelector(`meta[property="${property}"]`)?.getAttribute("content");
    expect(of("og:title")).toBe(data.summary.sentences[0]);
    expect(of("og:description")).toContain(data.summary.answer);
    expect(join(dirname(htmlFile), of("og:image") ?? "")).toBe(cardFile);
  });

  test("comes with the same numbers as JSON, as CSV and, when asked, in hyperfine's layout", async () => {
    const folder = await writeSyntheticRun(directory, { rounds: 20, failEvery: 7 });
    const { data } = await createReport(folder, plainOutput);
    const summary = summarySchema.parse(JSON.parse(await readFile(join(folder, "summary.json"), "utf8")));
    expect(summary.rows).toHaveLength(4 * 3 * 2);
    const row = summary.rows.find(
      (one) => one.caseId === "trig" && one.target === "cloudflare" && one.headline,
    );
    const analysis = data.cases.find(({ manifest }) => manifest.id === "trig")?.headline;
    expect(row?.ratio?.estimate).toBe(
      analysis?.comparisons.find(({ target }) => target === "cloudflare")?.ratio?.estimate,
    );
    expect(row?.cpuRatio?.estimate).toBeCloseTo(2.4, 6);
    const [head = "", ...lines] = (await readFile(join(folder, "summary.csv"), "utf8"))
      .trimEnd()
      .split("\r\n");
    expect(lines).toHaveLength(summary.rows.length);
    const cells = (
      lines.find((line) => line.startsWith("trig,cloudflare,node,,lastByteMs,true")) ?? ""
    ).split(",");
    expect(Number(cells[head.split(",").indexOf("median_ms")])).toBe(row?.medianMs);
    const file = await exportHyperfine(folder);
    const { results } = JSON.parse(await readFile(file, "utf8"));
    const one = results.find(({ command }: { command: string }) => command === "trig cloudflare");
    expect(one.times).toHaveLength(row?.exchanges ?? 0);
    expect(one.max).toBeCloseTo((row?.maximumMs ?? 0) / 1000, 12);
    expect(one.user).toBeCloseTo((row?.cpuMsPerExchange ?? 0) / 1000, 3);
  });

  test("has no cell of CSV that a spreadsheet takes for a formula, and leaves numbers numbers", async () => {
    const data = analysed({ rounds: 5 });
    const { rows, ...summary } = summaryOf(data);
    const first = rows[0];
    if (first === undefined) throw new Error("There is no row.");
    const named = ["=1+1", "+1", "-1", "@SUM(1)", "\tx", "a=1", '=HYPERLINK("x","y")'];
    const text = renderCsv({
      ...summary,
      rows: named.map((target) => ({ ...first, target, computeMs: -1.5 })),
    });
    const [head = "", ...lines] = text.trimEnd().split("\r\n");
    const at = head.split(",").indexOf("target");
    const cells = lines.slice(0, -1).map((line) => line.split(",")[at]);
    expect(cells).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(1)", "'\tx", "a=1"]);
    expect(lines.at(-1)).toContain(`,"'=HYPERLINK(""x"",""y"")",`);
    for (const line of lines.slice(0, -1))
      expect(line.split(",")[head.split(",").indexOf("compute_ms")]).toBe("-1.5");
  });

  test("says first that samples are damaged", async () => {
    const folder = await writeSyntheticRun(directory, { rounds: 10 });
    await appendFile(join(folder, "samples.ndjson"), '{"caseId":"emp');
    const { data, terminal } = await createReport(folder, plainOutput);
    expect(data.warnings[0]).toMatchObject({ severity: "void", title: "What was measured is damaged" });
    expect(terminal).toMatch(
      /^! What was measured is damaged: samples\.ndjson is damaged: line \d+ is cut off/,
    );
  });
});

test("what was made of all samples is not replaced by what is left of them, unless it is asked for", async () => {
  const directory = await mkdtemp(join(tmpdir(), "evenbench-report-"));
  const folder = await writeSyntheticRun(directory, { rounds: 10 });
  await createReport(folder, plainOutput);
  const summary = await readFile(join(folder, "summary.json"), "utf8");
  await writeFile(join(folder, "samples.ndjson"), "");
  const again = (keepsWhole: boolean) =>
    createReport(folder, plainOutput, undefined, undefined, { keepsWhole });
  await expect(again(true)).rejects.toThrow(
    /the run wrote \d+\. A report of the rest would replace .* add --anyway\./,
  );
  expect(await readFile(join(folder, "summary.json"), "utf8")).toBe(summary);
  expect((await again(false)).data.warnings[0]?.title).toBe("What was measured is damaged");
  await rm(directory, { recursive: true });
});

describe("report.html", () => {
  test("names with markup in them are escaped everywhere", () => {
    const html = renderHtml(analysed({ rounds: 5, failEvery: 3, text: "<b>&\"'" }));
    expect(html).not.toContain("<b>");
    expect(html).toContain("&lt;b&gt;&amp;&quot;&#39;");
  });
});

describe("renderTerminal", () => {
  const data = analysed({ rounds: 20, failEvery: 7 });

  test("has a row for each case with its interval, the counts, and a command for each reason", () => {
    const blocks = renderTerminal(data, plainOutput).trimEnd().split("\n\n");
    expect(blocks.at(-1)).toMatch(/notice.*Requests failed/s);
    const table = blocks.find((block) => block.startsWith("case ")) ?? "";
    expect(table).toMatch(/^trig +▶ \+\d+ % \(\+\d+…\+\d+\)/m);
    expect(table.split("\n")).toHaveLength(1 + 4);
    expect(blocks.some((block) => block.startsWith("Cloudflare's workerd"))).toBe(true);
  });

  test("no line is longer than the terminal", () => {
    for (const width of [80, 40]) {
      const text = renderTerminal(data, { width, color: false });
      const lines = text.split("\n").filter((line) => !line.startsWith("  npm run"));
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    }
  });

  test("control characters in data do not reach the terminal", () => {
    const text = renderTerminal(
      analysed({ rounds: 5, failEvery: 2, text: "\u001b[2J\u0007\r\n" }),
      plainOutput,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be absent.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});

test("the cost of CPU time is of the price table, the user's own where one is given, and names its source", async () => {
  // 64.8 ms for each exchange are 18 hours for a million.
  const price = {
    platform: "cloudflare",
    title: "Test",
    usdPerCpuHour: 2,
    stated: "$2",
    source: "https://prices.example/",
  };
  const run = syntheticRun({});
  const samples = SampleTable.from(syntheticSamples(run, {}));
  const html = renderHtml(analyseRun(run, samples, { prices: [{ ...price, readOn: "2026-11-21" }] }));
  expect(html).toContain("$36");
  expect(html).toContain("read on 2026-11-21 at https://prices.example/");
  expect(renderHtml(analysed({}))).toContain("Plan: $0.072, read on 2026-11-21 at https://prices.example/");
  await expect(readPrices(import.meta.filename)).rejects.toThrow(
    /report\.test\.ts is not a price table: .*docs\/prices\.md/,
  );
  await expect(readPrices(join(import.meta.dirname, "../package.json"))).rejects.toThrow(/not a price table/);
});

describe("renderMarkdown", () => {
  test("has a table with one row for each case and target, of equal columns", () => {
    const [verdicts = ""] = renderMarkdown(analysed({ rounds: 20 })).split("<details>");
    const rows = verdicts.split("\n").filter((line) => line.startsWith("|"));
    expect(rows).toHaveLength(2 + 4 * 3);
    for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(9);
  });

  test("text from data cannot become markup, a mention or a cell's end", () => {
    const text = renderMarkdown(
      analysed({ rounds: 5, failEvery: 2, text: "<img>|@someone `x` [a](b)\n# head" }),
    );
    const outsideCode = text.replace(/```.*?```/gs, "");
    expect(outsideCode).not.toMatch(/<img>|@someone|(?<!\\)`x|(?<!\\)\[a|^# head/m);
  });
});

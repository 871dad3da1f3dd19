import { createHash } from "node:crypto";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { SampleTable, summarySchema } from "@evenbench/results";
import { parseHTML } from "linkedom";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { analysedApps } from "../test/several-apps.ts";
import { analysed, syntheticRun, syntheticSamples, writeSyntheticRun } from "../test/synthetic.ts";
import { analysedWithCpu } from "../test/with-cpu.ts";
import { renderCsv } from "./export/csv.ts";
import { summaryOf } from "./export/summary.ts";
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
    expect(of("og:title")).toBe("Evenbench, 2026-11-21: 4 cases");
    expect(of("og:description")).toBe(data.summary.answer);
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
    const cells = (lines.find((line) => line.startsWith("trig,cloudflare,node,lastByteMs,true")) ?? "").split(
      ",",
    );
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

test("a report says first that samples were taken away after the run", async () => {
  const directory = await mkdtemp(join(tmpdir(), "evenbench-report-"));
  const folder = await writeSyntheticRun(directory, { rounds: 10 });
  expect((await createReport(folder, plainOutput)).data.warnings).toEqual([]);
  const file = join(folder, "samples.ndjson");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.slice(text.indexOf("\n") + 1));
  const { terminal } = await createReport(folder, plainOutput);
  expect(terminal).toMatch(/^! What was measured is damaged: samples\.ndjson was changed after the run/);
  await rm(directory, { recursive: true });
});

describe("report.html", () => {
  test("of six apps with four cases each stays under a megabyte, however long the run", () => {
    const apps = ["a", "b", "c", "d", "e", "f"];
    const size = (rounds: number) => Buffer.byteLength(renderHtml(analysedApps(apps, { rounds })));
    const long = size(400);
    expect(long).toBeLessThan(1_000_000);
    expect(long).toBeLessThan(size(100) * 1.3);
  });

  test("every figure has a title and a description", () => {
    const figures = renderHtml(analysed({ rounds: 10 })).match(/<svg class="plot".*?<g/gs) ?? [];
    expect(figures).toHaveLength(21);
    for (const figure of figures)
      expect(figure).toMatch(/role="img" aria-label="[^"]+".*<title>.+<\/title><desc>.+<\/desc>/s);
  });

  test("names with markup in them are escaped everywhere", () => {
    const html = renderHtml(analysed({ rounds: 5, failEvery: 3, text: "<b>&\"'" }));
    expect(html).not.toContain("<b>");
    expect(html).toContain("&lt;b&gt;&amp;&quot;&#39;");
  });
});

describe("renderTerminal", () => {
  const data = analysed({ rounds: 20, failEvery: 7 });

  test("its last block is the answer, a line for each case, and a warning is one line", () => {
    const text = renderTerminal(data, plainOutput);
    const blocks = text.trimEnd().split("\n\n");
    expect(blocks[0]).toMatch(/^! Requests failed: [^\n]*$/);
    const answers = (blocks.at(-1) ?? "").replace(/\n {2}/g, " ").split("\n");
    expect(answers.map((line) => line.split(":")[0])).toEqual([
      "empty",
      "react-ssr",
      "react-ssr-native",
      "trig",
    ]);
    expect(answers[0]).toMatch(
      /^empty: cloudflare takes 1\.\d+× \([\d.–]+\) of node's time; vercel 1\.\d+× /,
    );
  });

  test("its last block gives no ratio as an answer where there is none", () => {
    const text = renderTerminal(analysed({ trials: 1, rounds: 3 }), plainOutput);
    expect(text.trimEnd().split("\n").at(-1)).toMatch(
      /^trig: cloudflare cannot tell[^;]*; vercel cannot tell/,
    );
  });

  test.each([80, 90, 100])("no line is longer than %i columns", (width) => {
    const lines = renderTerminal(data, { width, color: false }).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  });

  test("colours change nothing but the colour", () => {
    const coloured = renderTerminal(data, { width: 80, color: true });
    const uncoloured = renderTerminal(data, { width: 80, color: false });
    expect(coloured).not.toBe(uncoloured);
    expect(stripVTControlCharacters(coloured)).toBe(uncoloured);
    expect(stripVTControlCharacters(uncoloured)).toBe(uncoloured);
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

test("every report but the terminal's says CPU time against the baseline, and how targets were built", () => {
  const data = analysed({});
  const [trig] = data.cases.filter(({ manifest }) => manifest.id === "trig");
  const cloudflare = trig?.cpu.find(({ target }) => target === "cloudflare");
  expect(cloudflare?.ratio?.estimate).toBeCloseTo(2.4, 6);
  expect(cloudflare?.msPerExchange).toBeCloseTo(0.9 * 30 * 2.4, 0);
  for (const text of [renderHtml(data), renderMarkdown(data)]) {
    for (const part of [
      "2.400× (2.400–2.400)",
      "2.74 MB",
      "824 KB",
      "8.2 % of 10 MB compressed",
      "compile (8 s)",
      "700 MB",
    ])
      expect(text).toContain(part);
  }
});

test("the cost of CPU time is of the price table, the user's own where one is given, and names its source", async () => {
  // 64.8 ms for each exchange are 0.018 hours for 1,000.
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
  expect(html).toContain("$0.036");
  expect(html).toContain("read on 2026-11-21 at https://prices.example/");
  expect(renderHtml(analysed({}))).toContain("developers.cloudflare.com");
  await expect(readPrices(import.meta.filename)).rejects.toThrow(
    /report\.test\.ts is no price table: .*Take packages/,
  );
  await expect(readPrices(join(import.meta.dirname, "../package.json"))).rejects.toThrow(/no price table/);
});

describe("renderMarkdown", () => {
  test("says in its first lines how many comparisons came out how, on time and on CPU time", () => {
    const lines = renderMarkdown(analysed({})).split("\n");
    expect(lines[0]).toBe(
      "**Time: 1 faster" +
        ", 4 slower, 3 no difference, 0 not warm (8 comparisons of a case and a target with its baseline).**\\",
    );
    const [time, cpu] = renderMarkdown(analysedWithCpu({ rounds: 20 })).split("\n");
    expect(time).toMatch(/^\*\*Time: \d+ faster, \d+ slower, \d+ no difference, .*0 not warm \(/);
    expect(cpu).toMatch(/^CPU time: \d+ faster, \d+ slower, \d+ no difference, .*\d+ not warm\.$/);
    const few = renderMarkdown(analysed({ trials: 1, rounds: 3 }));
    expect(few).toMatch(/^\*\*Time: 0 faster, 0 slower, 0 no difference, 8 cannot tell, 0 not warm/);
  });

  test("then comes the answer, then the table, then notices", () => {
    const data = analysed({ rounds: 20, failEvery: 7 });
    const text = renderMarkdown(data);
    const places = ["On cloudflare, ", "| Kind of work | Case |", "1 notice</summary>"].map((part) =>
      text.indexOf(part),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test("has a table with one row for each case and target, of equal columns", () => {
    const [verdicts = ""] = renderMarkdown(analysed({ rounds: 20 })).split("<details>");
    const rows = verdicts.split("\n").filter((line) => line.startsWith("|"));
    expect(rows).toHaveLength(2 + 4 * 3);
    for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(11);
  });

  test("text from data cannot become markup, a mention or a cell's end", () => {
    const text = renderMarkdown(
      analysed({ rounds: 5, failEvery: 2, text: "<img>|@someone `x` [a](b)\n# head" }),
    );
    const outsideCode = text.replace(/```.*?```/gs, "");
    expect(outsideCode).not.toMatch(/<img>|@someone|(?<!\\)`x|(?<!\\)\[a|^# head/m);
  });

  test("marks the cases for which the platforms run different code", () => {
    const data = analysed({ rounds: 5 });
    expect(renderMarkdown(data)).toContain("| react-ssr-native (not the same code) |");
    expect(renderTerminal(data, plainOutput)).toMatch(/^react-ssr-native\* /m);
    expect(renderHtml(data)).toContain(">not the same code</small>");
  });

  test("tells how to repeat the run with its seed", () => {
    expect(renderMarkdown(analysed({ rounds: 5 }))).toContain("npm run bench -- run --seed 42 --case empty,");
  });
});

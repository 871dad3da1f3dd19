import { createHash } from "node:crypto";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { joinAccounts, requestId, SampleTable, writeProviderCpu } from "@evenbench/results";
import { parseHTML } from "linkedom";
import { beforeEach, describe, expect, test } from "vitest";
import { analysed, syntheticRun, syntheticSamples, writeSyntheticRun } from "../test/synthetic.ts";
import type { AnalysedRun } from "./analyse-run.ts";
import { analyseRun } from "./analyse-run.ts";
import { makeFacts } from "./facts/make-facts.ts";
import { createReport } from "./index.ts";
import { share } from "./media/share.ts";
import { terminal as printedText } from "./media/terminal.ts";
import { answers } from "./words/columns.ts";
import { foundLines } from "./words/head.ts";

const plainOutput = { width: 100, color: false };
const factsOf = (data: AnalysedRun) => makeFacts(data, []).facts;
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
    const files = ["report.html", "report.md", "card.png", "card.svg"].map((name) => join(folder, name));
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
    expect(meta("og:title")).toBe(foundLines(first.facts)[0]);
    expect(meta("og:image:alt")).toBe(meta("og:title"));
    expect(meta("og:description")).toContain(answers(first.facts)[1]);
    expect(join(dirname(first.htmlFile), meta("og:image") ?? "")).toBe(join(folder, "card.png"));
  });

  test("what was made of all samples is not replaced by what is left of them, unless it is asked for", async () => {
    await createReport(folder, plainOutput);
    const before = await readFile(join(folder, "facts.json"), "utf8");
    await writeFile(join(folder, "samples.ndjson"), "");
    const again = (keepsWhole: boolean) => createReport(folder, plainOutput, { keepsWhole });
    const refusal = /the run wrote \d+\. A report of the rest would replace .* add --anyway\./;
    await expect(again(true)).rejects.toThrow(refusal);
    expect(await readFile(join(folder, "facts.json"), "utf8")).toBe(before);
    const { facts, terminal } = await again(false);
    const isDamage = facts.notices.findIndex(({ code }) => code === "samples-damaged");
    expect(facts.notices[isDamage]).toMatchObject({ weight: "void" });
    expect(terminal).toMatch(/^✕ /);
    await rm(join(folder, "samples.ndjson"));
    await expect(again(false)).rejects.toThrow("or read what is there: --share.");
  });

  test("has the accounts of its platforms up to a damage, which is said", async () => {
    await writeProviderCpu(folder, accounted());
    await appendFile(join(folder, "provider-cpu.ndjson"), '{"caseId":"tr');
    const { facts } = await createReport(folder, plainOutput);
    const accounts = facts.levels.filter(({ metric }) => metric === "platformCpuMs");
    expect(accounts.map(({ case: of, target }) => [of, target])).toEqual([["trig", "vercel"]]);
    expect(facts.notices[0]?.found[0]?.quote).toMatch(/provider-cpu\.ndjson is damaged: line 81 is cut off/);
  });

  test.each(["0.000001", "1000000000000"])(
    "has numbers in every text of times that are all %s ms",
    async (ms) => {
      const file = join(folder, "samples.ndjson");
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replace(/("(?:first|last)ByteMs":)[\d.]+/g, `$1${ms}`));
      const { terminal, htmlFile } = await createReport(folder, plainOutput);
      const beside = ["report.md", "facts.json", "facts.csv"].map((name) => join(folder, name));
      const files = [htmlFile, ...beside];
      for (const made of [terminal, ...(await Promise.all(files.map((file) => readFile(file, "utf8"))))]) {
        expect(made).not.toMatch(/NaN|Infinity/);
      }
    },
  );
});

test("a target's CPU time by its platform has an interval", () => {
  const data = analyseRun(run, SampleTable.from(samples), accounted());
  const [trig] = data.cases.filter(({ manifest }) => manifest.id === "trig");
  const [vercel, ...others] = trig?.providerCpu ?? [];
  expect([others, data.cases[0]?.providerCpu]).toEqual([[], []]);
  expect(vercel?.target).toBe("vercel");
  expect(vercel?.msPerRequest).toBeCloseTo(12, 1);
  const { low = 0, high = 0 } = vercel?.interval ?? {};
  expect([low < 12, high > 12, high < 13]).toEqual([true, true, true]);
});

test("text from data cannot become markup, a mention, a cell's end or a control character", () => {
  const text = "<img>|@someone `x` [a](b)\n# head";
  expect(share(factsOf(analysed({ rounds: 5, failEvery: 2, text })))).not.toMatch(
    /<img>|@someone|(?<!\\)`x|(?<!\\)\[a|^# head/m,
  );
  const controlled = analysed({ rounds: 5, failEvery: 2, text: "\u001b[2J\u0007\r\n" });
  const shown = printedText(factsOf(controlled), { ...plainOutput, report: null });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be absent.
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

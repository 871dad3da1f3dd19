import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import type { RunSummary } from "@evenbench/results";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import { analysed, onMachine, writeNight } from "../../test/synthetic.ts";
import { summaryOf } from "../summary.ts";
import { readContributions } from "./contributed.ts";
import { createSite } from "./site.ts";

let folder = "";
folderOfEachTest((directory) => {
  folder = directory;
});

const NOW_MS = Date.parse("2026-12-02T00:00:00.000Z");
const DAY_MS = 24 * 60 * 60 * 1000;
const SUMMARY = summaryOf(analysed({ rounds: 20 }, onMachine("Another processor")));

async function put(name: string, change: Partial<RunSummary> | string = {}): Promise<void> {
  const text = typeof change === "string" ? change : JSON.stringify({ ...SUMMARY, ...change });
  await writeFile(join(folder, name), text);
}

test("summaries are read as Evenbench wrote them, the newest first, and each run once", async () => {
  await put("a.json");
  await put("b.json", { runId: "later", startedAt: "2026-12-01T00:00:00.000Z" });
  await put("c.json");
  await put("notes.txt", "of no interest");
  const { accepted, skipped } = await readContributions(folder, NOW_MS);
  expect(accepted.map(({ file }) => file)).toEqual(["b.json", "a.json"]);
  expect(accepted[1]?.summary).toEqual(SUMMARY);
  expect(skipped).toEqual(["c.json: the same run is in another file."]);
});

test("a run that began more than a day from now is left out, and one within a day is shown", async () => {
  await put("far.json", { runId: "far", startedAt: "9999-12-31T23:59:59.999Z" });
  await put("later.json", { runId: "later", startedAt: new Date(NOW_MS + DAY_MS + 1).toISOString() });
  await put("near.json", { runId: "near", startedAt: new Date(NOW_MS + DAY_MS).toISOString() });
  const { accepted, skipped } = await readContributions(folder, NOW_MS);
  expect(accepted.map(({ file }) => file)).toEqual(["near.json"]);
  expect(skipped[0]).toBe(
    "far.json: it began at 9999-12-31T23:59:59.999Z, which is in the future. One of both machines has a wrong clock.",
  );
  expect(skipped).toHaveLength(2);
});

const [row] = SUMMARY.rows.filter(({ verdict }) => verdict === "slower") as [RunSummary["rows"][number]];

test.each<[string, Partial<RunSummary> | string, RegExp]>([
  ["what is no JSON", "{", /is not JSON/],
  ["what is no summary", '{"rows":[]}', /no summary\.json of this version/],
  ["a field that no summary has", JSON.stringify({ ...SUMMARY, extra: 1 }), /no summary\.json/],
  ["more bytes than a summary has", " ".repeat(2_000_001), /at most 2000000 are read/],
  ["markup", { answer: "<script>alert(1)</script>" }, /marks of a page/],
  ["letters that cannot be seen", { answer: "a\u202eb" }, /cannot be seen/],
  ["a letter without width", { answer: "a\u200bb" }, /cannot be seen/],
  ["a letter that is not drawn", { answer: "a\u3164b" }, /cannot be seen/],
  [
    "sameness without a ratio",
    { rows: [{ ...row, verdict: "same", ratio: null }] },
    /not that of its interval/,
  ],
  ["a link that is not https", { answer: "see javascript:alert(1)" }, /link that is not https/],
  ["a link to a host without https", { notices: ["http://x.example/"] }, /link that is not https/],
  ["a long text", { answer: "a".repeat(2_001) }, /2001 letters/],
  ["a name of a machine that fills a page", { place: `${SUMMARY.place}${"a".repeat(300)}` }, /at most 300/],
  ["a run over a network", { place: "Measured over the network from X, 2 cores" }, /no local run/],
  ["damaged samples", { damage: "2 lines are cut off." }, /samples were damaged/],
  ["names that no case has", { rows: [{ ...row, caseId: "../up" }] }, /a name of a case/],
  ["a verdict against its interval", { rows: [{ ...row, verdict: "faster" }] }, /not that of its interval/],
  ["a verdict of its own", { rows: [{ ...row, verdict: "best" }] }, /not that of its interval/],
  ["a smoke test", { rows: [{ ...row, verdict: null }] }, /has no verdict/],
])("%s is left out, with the reason", async (_what, change, reason) => {
  await put("a.json", change);
  const { accepted, skipped } = await readContributions(folder, NOW_MS);
  expect(accepted).toEqual([]);
  expect(skipped).toEqual([expect.stringMatching(reason)]);
});

test("no link is followed: neither a file, nor the folder", async () => {
  await mkdir(join(folder, "elsewhere"));
  await writeFile(join(folder, "elsewhere/a.json"), JSON.stringify(SUMMARY));
  await mkdir(join(folder, "sent"));
  await symlink(join(folder, "elsewhere/a.json"), join(folder, "sent/a.json"));
  const { accepted, skipped } = await readContributions(join(folder, "sent"), NOW_MS);
  expect([accepted, skipped]).toEqual([[], ["a.json: it is no regular file."]]);
  await symlink(join(folder, "elsewhere"), join(folder, "linked"));
  await expect(readContributions(join(folder, "linked"), NOW_MS)).rejects.toThrow(/is no folder/);
  await expect(readContributions(join(folder, "missing"), NOW_MS)).rejects.toThrow(/is no folder/);
});

test("a gallery says how many machines agree, each once by its newest run, and lists what it left out", async () => {
  const results = join(folder, "results");
  const contributed = join(folder, "contributed");
  await mkdir(contributed);
  await writeNight(results, 1);
  await writeFile(join(contributed, "one.json"), JSON.stringify(SUMMARY));
  const older = { ...SUMMARY, runId: "older", startedAt: "2026-01-01T00:00:00.000Z" };
  await writeFile(join(contributed, "older.json"), JSON.stringify(older));
  // It reads the same on a page, and is no third machine.
  const place = SUMMARY.place.replace("Another ", "another\u00a0 ");
  const alike = { ...older, runId: "alike", place };
  await writeFile(join(contributed, "alike.json"), JSON.stringify(alike));
  await writeFile(join(contributed, "bad.json"), "{");
  const out = join(folder, "gallery");
  const { skipped, indexFile } = await createSite([results], out, { contributed });
  expect(skipped).toEqual(["bad.json: it is not JSON."]);
  const { document } = parseHTML(await readFile(indexFile, "utf8"));
  const section = document.querySelector("[aria-labelledby=elsewhere]");
  expect(section?.querySelector(".lead")?.textContent).toMatch(/^2 machines\. /);
  const rows = [...(section?.querySelectorAll("tbody tr") ?? [])].map((line) => line.textContent);
  expect(rows).toContainEqual(expect.stringMatching(/^Trigonometry.*workerd.*2 of 2$/));
  expect(section?.querySelector("ul")?.textContent).toContain("Another processor, 2 cores");
});

import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest, writeFiles } from "@evenbench/host/testing/folder";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import { analysed, onMachine, writeNight } from "../../test/synthetic.ts";
import type { Change, Facts } from "../facts/facts.ts";
import { makeFacts } from "../facts/make-facts.ts";
import { readContributions } from "./contributed.ts";
import { createSite } from "./site.ts";

let folder = "";
folderOfEachTest((directory) => {
  folder = directory;
});

const NOW_MS = Date.parse("2026-12-02T00:00:00.000Z");
const DAY_MS = 24 * 60 * 60 * 1000;
const { facts: FACTS } = makeFacts(analysed({ rounds: 20 }, onMachine("Another processor")), []);

/** Writes a file of facts that were changed. */
async function put(name: string, change: Partial<Facts> | string = {}): Promise<void> {
  const text = typeof change === "string" ? change : JSON.stringify({ ...FACTS, ...change });
  await writeFile(join(folder, name), text);
}

const ofRun = (changed: Partial<Facts["run"]>) => ({ run: { ...FACTS.run, ...changed } });

/** The facts, with each change by time altered. */
const withChanges = (changed: Partial<Change>) => ({
  changes: FACTS.changes.map((change) => ({ ...change, ...changed })),
});

test("facts are read as Evenbench wrote them, the newest first, and each run once", async () => {
  await put("a.json");
  await put("b.json", ofRun({ id: "later", startedAt: "2026-12-01T00:00:00.000Z" }));
  await put("c.json");
  await put("notes.txt", "of no interest");
  const { accepted, skipped } = await readContributions(folder, NOW_MS);
  expect(accepted.map(({ run }) => run.id)).toEqual(["later", FACTS.run.id]);
  expect(skipped).toEqual(["c.json: the same run is in another file."]);
});

test("verdicts of others are judged again from the ends of their intervals", async () => {
  await put("a.json", withChanges({ verdict: "faster", flags: [] }));
  const { accepted } = await readContributions(folder, NOW_MS);
  const [read] = accepted;
  expect(read?.run.judgedFrom).toBe("ends");
  const verdictOf = ({ changes }: Facts) =>
    changes.find(({ case: id, target, metric, role }) => {
      return id === "trig" && target === "cloudflare" && metric === "lastByteMs" && role === "main";
    })?.verdict;
  expect(read && verdictOf(read)).toBe(verdictOf(FACTS));
  expect(verdictOf(FACTS)).toBe("slower");
});

test("a run that began more than a day from now is left out, and one within a day is shown", async () => {
  await put("far.json", ofRun({ id: "far", startedAt: "9999-12-31T23:59:59.999Z" }));
  await put("later.json", ofRun({ id: "later", startedAt: new Date(NOW_MS + DAY_MS + 1).toISOString() }));
  await put("near.json", ofRun({ id: "near", startedAt: new Date(NOW_MS + DAY_MS).toISOString() }));
  const { accepted, skipped } = await readContributions(folder, NOW_MS);
  expect(accepted.map(({ run }) => run.id)).toEqual(["near"]);
  expect(skipped[0]).toBe(
    "far.json: it began at 9999-12-31T23:59:59.999Z, which is in the future. One of both machines has a wrong clock.",
  );
  expect(skipped).toHaveLength(2);
});

/** The facts with another name of the machine. */
const ofMachine = (processor: string) =>
  ofRun({ machine: FACTS.run.machine && { ...FACTS.run.machine, processor } });

test.each<[string, Partial<Facts> | string, RegExp]>([
  ["what is no JSON", "{", /is not JSON/],
  ["what is no file of facts", '{"changes":[]}', /no facts\.json of this version/],
  ["a field that no facts have", JSON.stringify({ ...FACTS, extra: 1 }), /no facts\.json/],
  ["more bytes than facts have", " ".repeat(2_000_001), /at most 2000000 are read/],
  ["markup", ofMachine("<script>alert(1)</script>"), /marks of a page/],
  ["letters that cannot be seen", ofMachine("a\u202eb"), /cannot be seen/],
  ["a letter without width", ofMachine("a\u200bb"), /cannot be seen/],
  ["a letter that is not drawn", ofMachine("a\u3164b"), /cannot be seen/],
  ["a link that is not https", ofMachine("see javascript:alert(1)"), /link that is not https/],
  ["a link to a host without https", ofMachine("http://x.example/"), /link that is not https/],
  ["a long text", ofMachine("a".repeat(2_001)), /2001 letters/],
  ["a name of a machine that fills a page", ofMachine("a".repeat(301)), /at most 300/],
  ["a name that no case has", JSON.stringify(FACTS).replaceAll('"trig"', '"../up"'), /a name of a case/],
  ["a run over a network", ofRun({ from: "network" }), /no local run/],
  [
    "damaged samples",
    { notices: [{ code: "samples-damaged", weight: "void", found: [] }] },
    /samples were damaged/,
  ],
  ["ends of an interval in no order", withChanges({ low: 2, estimate: 1, high: 3 }), /in no order/],
  ["numbers of cases that it does not name", { cases: [] }, /does not name/],
  ["a smoke test", withChanges({ verdict: "none", why: "smoke-test" }), /has no verdict/],
])("%s is left out, with the reason", async (_what, change, reason) => {
  await put("a.json", change);
  const { accepted, skipped } = await readContributions(folder, NOW_MS);
  expect(accepted).toEqual([]);
  expect(skipped).toEqual([expect.stringMatching(reason)]);
});

test("no link is followed: neither a file, nor the folder", async () => {
  writeFiles(folder, { "elsewhere/a.json": FACTS });
  await mkdir(join(folder, "sent"));
  await symlink(join(folder, "elsewhere/a.json"), join(folder, "sent/a.json"));
  const { accepted, skipped } = await readContributions(join(folder, "sent"), NOW_MS);
  expect([accepted, skipped]).toEqual([[], ["a.json: it is no regular file."]]);
  await symlink(join(folder, "elsewhere"), join(folder, "linked"));
  await expect(readContributions(join(folder, "linked"), NOW_MS)).rejects.toThrow(/is no folder/);
  await expect(readContributions(join(folder, "missing"), NOW_MS)).rejects.toThrow(/is no folder/);
});

/** Makes a gallery of one run and of contributed facts, and gives its section on other machines. */
async function elsewhere(contributed: Readonly<Record<string, Facts>>) {
  const results = join(folder, "results");
  const sent = join(folder, "contributed");
  await writeNight(results, 1);
  writeFiles(sent, { ...contributed, "bad.json": "{" });
  const { skipped, indexFile } = await createSite([results], join(folder, "gallery"), { contributed: sent });
  const { document } = parseHTML(await readFile(indexFile, "utf8"));
  return { skipped, section: document.querySelector("[aria-labelledby=elsewhere]") };
}

test("a gallery says how many other machines agree, each once by its newest run, and not the one of its own runs", async () => {
  const older = ofRun({ id: "older", startedAt: "2026-01-01T00:00:00.000Z" });
  // It reads the same on a page, and is no third machine.
  const alike = ofMachine("another\u00a0 processor");
  const own = analysed({ rounds: 20 });
  const { skipped, section } = await elsewhere({
    "one.json": FACTS,
    "older.json": { ...FACTS, ...older },
    "alike.json": { ...FACTS, run: { ...alike.run, id: "alike" } },
    "own.json": makeFacts(own, []).facts,
  });
  expect(skipped).toEqual(["bad.json: it is not JSON."]);
  expect(section?.querySelector(".lead")?.textContent).toMatch(/^1 other machine\. /);
  const rows = [...(section?.querySelectorAll("tbody tr") ?? [])].map((line) => line.textContent);
  expect(rows).toContainEqual(expect.stringMatching(/^Trigonometry.*workerd.*1 of 1$/));
  expect([...(section?.querySelectorAll("li") ?? [])].map((line) => line.textContent)).toEqual([
    expect.stringMatching(/^another\s+processor, 2 cores, /),
  ]);
});

test("runs of one machine say nothing of other machines", async () => {
  const { section } = await elsewhere({ "own.json": makeFacts(analysed({ rounds: 20 }), []).facts });
  expect(section).toBe(null);
});

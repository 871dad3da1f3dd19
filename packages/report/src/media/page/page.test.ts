import { readFile } from "node:fs/promises";
import { GLOSSARY } from "@evenbench/page";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import { analysed, analysedWithCpu, type SyntheticOptions } from "../../../test/synthetic.ts";
import type { Change, Facts } from "../../facts/facts.ts";
import { makeFacts } from "../../facts/make-facts.ts";
import { cell } from "../../words/notation.ts";
import { page } from "./page.ts";

const { facts, details } = makeFacts(analysedWithCpu({ rounds: 20 }), []);
const dropped = { atMs: 1, kind: "target-dropped", caseId: "trig", target: "cloudflare", trial: 1 } as const;

function documentOf(of: Facts): Document {
  return parseHTML(page(of, null)).document;
}

/** Gives the texts of elements. */
function texts(root: Pick<Document, "querySelectorAll">, selector: string): readonly string[] {
  return [...root.querySelectorAll(selector)].map(({ textContent }) => textContent ?? "");
}

function findings(options: SyntheticOptions): Facts {
  return makeFacts(analysed(options), []).facts;
}

/** Selects the changes of a picture. */
function changesOf({ changes }: Facts, role: Change["role"], metric: Change["metric"], baseline: string) {
  return changes.filter(
    (change) => change.role === role && change.metric === metric && change.baseline === baseline,
  );
}

test.each([
  ["other", "lastByteMs", "cloudflare", 1],
  ["other", "cpuMs", "vercel", 2],
] as const)(
  "the picture of %s changes by %s against %s has each with its words",
  (role, metric, baseline, index) => {
    const picture = documentOf(facts).querySelector(`[data-metric="${metric}"][data-against="${index}"]`);
    const expected = changesOf(facts, role, metric, baseline).map((change) => cell(change));
    expect(expected).toHaveLength(8);
    expect(picture === null ? [] : texts(picture, ".value").toSorted()).toEqual(expected.toSorted());
  },
);

test("the words above the pictures stand once, whatever baseline is shown", () => {
  const document = documentOf(facts);
  expect(texts(document, "h1")).toHaveLength(1);
  expect(texts(document, "[data-against] h1, [data-against] .second")).toEqual([]);
});

test("of what has no verdict nothing is drawn, and its reason stands in words", () => {
  const document = documentOf(findings({ rounds: 20, events: [{ ...dropped, detail: "for tests" }] }));
  const cells = [...document.querySelectorAll(".chart .cell.none")];
  expect(cells.length).toBeGreaterThan(0);
  expect(cells.flatMap((each) => [...each.querySelectorAll("path")])).toEqual([]);
  expect(texts(document, ".chart .cell.none .value").filter((words) => !words.startsWith("✕ "))).toEqual([]);
});

test("without details there are no curves, and all else is the same", () => {
  const whole = parseHTML(page(facts, details)).document;
  const without = documentOf(facts);
  expect(whole.querySelectorAll("figure").length).toBe(3 * facts.cases.length);
  // The change of each trial is a fact.
  expect(without.querySelectorAll("figure").length).toBe(facts.cases.length);
  for (const selector of ["h1", ".value", ".place", ".notices summary"]) {
    expect(texts(without, selector)).toEqual(texts(whole, selector));
  }
});

test("a run that compared nothing shows what each took, and no picture", () => {
  const { facts: quick } = makeFacts(
    analysed({ rounds: 5 }, (run) => ({ ...run, plan: { ...run.plan, quick: true } })),
    [],
  );
  const document = documentOf(quick);
  expect(document.querySelectorAll(".chart, .tabs").length).toBe(0);
  expect(texts(document, ".state")).toHaveLength(1);
  expect(texts(document, "main > h2, main > .scroll").length).toBeGreaterThan(1);
});

test("no two parts of a page have one id", () => {
  const ids = [...page(facts, details).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test("the page explains words as docs/glossary.md does", async () => {
  const text = await readFile(new URL("../../../../../docs/glossary.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)];
  const written = Object.fromEntries(rows.map(([, word, said = ""]) => [word, said.replaceAll("`", "")]));
  expect(written).toMatchObject(GLOSSARY);
});

// For facts drawn at random the page and the card say the same verdicts, counts and marks as was drawn.
import { seededRandom } from "@evenbench/stats/random";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import { drawnFacts } from "../../test/drawn-facts.ts";
import { cellOf, countsOf, drawn, isMarked } from "../../test/oracle.ts";
import type { Change, Facts, Metric } from "../facts/facts.ts";
import { FLAG_WORDS } from "../words/mark.ts";
import { cardOf } from "./card.ts";
import { page } from "./page/page.ts";

const ALL: readonly Facts[] = Array.from({ length: 60 }, (_, seed) => drawnFacts(seededRandom(seed + 1)));
const PAGES = new Map(ALL.map((facts) => [facts, parseHTML(page(facts, null)).document]));
const METRICS: readonly Metric[] = ["lastByteMs", "cpuMs", "firstByteMs", "coldStartMs"];

function textsOf(root: ParentNode | null | undefined, selector: string): readonly string[] {
  return root === null || root === undefined
    ? []
    : [...root.querySelectorAll(selector)].map(({ textContent }) => textContent ?? "");
}

/** The reasons of marks that some changes have. */
function reasonsOf(changes: readonly Change[]): readonly string[] {
  const flags = new Set(changes.filter(isMarked).flatMap(({ flags }) => flags));
  return [...flags].map((flag) => FLAG_WORDS[flag]);
}

test("each picture of the page has every comparison by its quantity once, and explains marks where it has some", () => {
  for (const facts of ALL) {
    for (const metric of METRICS) {
      const changes = drawn(facts, metric).filter((change) => change.case !== null);
      const picture = PAGES.get(facts)?.querySelector(`[data-metric="${metric}"][data-against="0"]`);
      const cells = textsOf(picture, ".value").filter((words) => words !== "–");
      expect(cells.toSorted()).toEqual(changes.map(cellOf).toSorted());
      const [, ...notes] = textsOf(picture, ".key");
      const reasons = reasonsOf(changes);
      expect(notes.length).toBe(reasons.length === 0 ? 0 : 1);
      expect(reasons.filter((reason) => !notes[0]?.includes(reason))).toEqual([]);
    }
  }
});

test("a picture draws exactly what has an interval and a verdict", () => {
  for (const facts of ALL) {
    const changes = drawn(facts, "lastByteMs").filter(
      ({ verdict, low }) => verdict !== "none" && low !== null,
    );
    const picture = PAGES.get(facts)?.querySelector('[data-metric="lastByteMs"][data-against="0"]');
    expect(picture?.querySelectorAll('.cell svg[role="img"]').length ?? 0).toBe(changes.length);
  }
});

test("above the pictures stand what is void, then the counts of each platform, and nothing twice", () => {
  for (const facts of ALL) {
    const header = PAGES.get(facts)?.querySelector("header");
    const [, ...lines] = textsOf(header, "p, h1");
    const isVoid = facts.notices.some(({ weight }) => weight === "void") || facts.run.status !== "complete";
    expect(lines[0]?.startsWith("✕"), lines.join("\n")).toBe(isVoid);
    expect(new Set(lines).size).toBe(lines.length);
    const counts = countsOf(facts, "lastByteMs");
    const said = [...textsOf(header, "h1"), ...textsOf(header, ".second")];
    for (const [index, { name, said: words }] of counts.entries()) {
      const noun = facts.cases.some(({ path }) => path !== null) ? "path" : "case";
      const whole = words.replace(/of (\d+)/, (of, all) => `${of} ${noun}${all === "1" ? "" : "s"}`);
      const line = said[index] ?? "";
      expect(line.startsWith(name), line).toBe(true);
      expect(line.endsWith(`: ${index === 0 ? whole : words}.`), line).toBe(true);
    }
  }
});

test("the card says the counts of each platform, and what is void before them", () => {
  for (const facts of ALL) {
    const content = cardOf(facts);
    const [first, ...others] = countsOf(facts, "lastByteMs");
    const isVoid = facts.notices.some(({ weight }) => weight === "void") || facts.run.status !== "complete";
    expect(content.state[0]?.startsWith("✕") ?? false).toBe(isVoid);
    expect(content.claim.startsWith(first?.name ?? "Nothing was compared.")).toBe(true);
    const counts = first?.said.split(/ of \d+/) ?? [];
    expect(counts.filter((said) => !content.claim.includes(said))).toEqual([]);
    if (facts.cases.length > 1) {
      const said = others.map(({ name, said: words }) => `${name}: ${words}.`).join(" ");
      expect(content.note.startsWith(said)).toBe(true);
    }
  }
});

test("the card has a row for each comparison of the first platform, with its verdict, number and mark", () => {
  for (const facts of ALL.filter(({ cases }) => cases.length > 1)) {
    const [first] = countsOf(facts, "lastByteMs");
    const own = drawn(facts, "lastByteMs").filter(
      ({ target }) => facts.targets.find(({ name }) => name === target)?.column === first?.name,
    );
    const { rows, note } = cardOf(facts);
    expect(rows.map(({ change }) => change)).toEqual(own);
    for (const [index, change] of own.entries()) {
      const value = rows[index]?.value ?? "";
      // Without what the drawing shows: the sign, and the ends of a difference.
      const isDrawn = change.verdict !== "none" && change.low !== null;
      const shortened = cellOf(change).replace(/ \(.*\)/, "");
      expect(value).toBe(isDrawn ? shortened.replace(/^\S+ /, "") : shortened);
    }
    for (const reason of reasonsOf(own)) {
      expect(note).toContain(reason);
    }
  }
});

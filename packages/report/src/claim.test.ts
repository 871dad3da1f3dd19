import type { Verdict } from "@evenbench/stats";
import { expect, test } from "vitest";
import { analysed, analysedApps, withVerdict } from "../test/synthetic.ts";
import { claimOf, countWords, MOST_CLAIM_WORDS, sharedRuntimeNotes } from "./claim.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { renderTerminal } from "./export/terminal.ts";
import { renderHtml } from "./html/page.ts";

const data = analysed({ rounds: 20 });

test("a claim says of the platform that is told apart most in how many cases it was faster or slower", () => {
  const { heading, others } = claimOf(data);
  expect(heading).toMatch(/^Cloudflare's workerd was (faster|slower) than Node\.js in \d of 4 cases, /);
  expect(others.some((sentence) => sentence.startsWith("Cloudflare's workerd"))).toBe(false);
  expect(others.join(" ")).toContain("Vercel's adapter");
});

test("what CPU time decides of the platform of the claim is said beside it", () => {
  const onTime =
    data.summary.sentences.find((sentence) => sentence.startsWith("Cloudflare's workerd:")) ?? "";
  const onCpuTime = "Cloudflare's workerd: CPU time is 23 to 33 % less in 3 of 4 cases, the same in 1.";
  const summary = { ...data.summary, sentences: [onTime, onCpuTime] };
  expect(claimOf({ ...data, summary }).others).toEqual([onCpuTime]);
});

test.each([
  ["faster", "was faster than Node.js in all 4 cases."],
  ["same", "took as long as Node.js in all 4 cases."],
  ["unclear", "against Node.js: unclear in all 4 cases."],
] as const)("a claim of cases that are all %s", (verdict: Verdict, said) => {
  expect(claimOf(withVerdict(data, verdict)).heading).toBe(`Cloudflare's workerd ${said}`);
});

test("two cases are both", () => {
  const two = withVerdict({ ...data, cases: data.cases.slice(0, 2) }, "faster");
  expect(claimOf(two).heading).toBe("Cloudflare's workerd was faster than Node.js in both cases.");
});

test("no claim has more words than are read", () => {
  const long = analysed({
    rounds: 20,
    text: " and a title of a great many words that goes on and on".repeat(3),
  });
  const one = { ...data, cases: data.cases.slice(0, 1) };
  const apps = analysedApps(["bundle", "next", "sveltekit"], { rounds: 10 });
  for (const each of [data, long, one, apps, { ...long, cases: long.cases.slice(1, 2) }]) {
    expect(countWords(claimOf(each).heading)).toBeLessThanOrEqual(MOST_CLAIM_WORDS);
  }
});

test("a run that compared nothing has the first of its sentences as its claim", () => {
  const quick = analysed({ rounds: 3 }, (run) => ({ ...run, plan: { ...run.plan, quick: true } }));
  expect(claimOf(quick).heading).toBe(quick.summary.sentences[0]);
});

test("of a platform that runs on the baseline's own runtime it is said, and of no other", () => {
  const begin = "Here Vercel's adapter runs on the same Node.js 24.21.0 as Node.js";
  expect(sharedRuntimeNotes(withVerdict(data, "unclear"))).toEqual([
    `${begin}, so only the adapter's work can differ.`,
  ]);
  expect(sharedRuntimeNotes(withVerdict(data, "slower"))).toEqual([
    `${begin}: a difference is the adapter's work, or chance.`,
  ]);
});

test("where targets drifted apart in the case of such a difference, that is named beside chance and marked at the case", () => {
  const marked = data.cases.map((report) => {
    const found = { target: null, place: null, numbers: { drift: 0.25 } };
    const finding = { ...found, kind: "drift-apart", detail: "trig: node became 25 % slower" } as const;
    return report.manifest.id === "trig" ? { ...report, audit: [finding] } : report;
  });
  const drifted = { ...data, cases: marked };
  expect(sharedRuntimeNotes(withVerdict(drifted, "faster"))).toEqual([
    expect.stringContaining(
      "the adapter's work, or chance. In trig targets drifted apart while they were measured (‡), ",
    ),
  ]);
  expect(sharedRuntimeNotes(withVerdict(drifted, "unclear")).join()).not.toContain("drifted");
  const outputs = [
    { text: renderTerminal(drifted, { width: 120, color: false }), row: /^trig ‡ /m },
    { text: renderHtml(drifted), row: "Trigonometry ‡</a>" },
    { text: renderMarkdown(drifted), row: /^\| Trigonometry ‡/m },
  ];
  for (const { text, row } of outputs) {
    expect(text).toMatch(row);
    expect(text).toContain("‡ Targets drifted apart while they were measured");
  }
  expect(renderMarkdown(data)).not.toContain("‡");
});

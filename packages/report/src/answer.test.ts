import { VERDICTS, type Verdict } from "@evenbench/stats";
import { expect, test } from "vitest";
import { analysed, withVerdict } from "../test/synthetic.ts";
import { answerOf } from "./answer.ts";
import { cardOf } from "./card/card.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { renderTerminal } from "./export/terminal.ts";
import { stoppedSentence } from "./notices.ts";
import { sentencesOf } from "./sentences.ts";
import { summaryOf } from "./summary.ts";
import { answerOfSummary } from "./summary-answer.ts";

test("where nothing is decided, the answer gives no number", () => {
  const { targets, cases } = withVerdict(analysed({ rounds: 20 }), "not warm");
  expect(answerOf(targets, cases, { stopped: null, unproven: null }).answer).toBe(
    "Cloudflare's workerd: not warm in all 4 cases. Vercel's adapter: not warm in all 4 cases.",
  );
});

test("a platform's sentence has counts that add up, whatever its verdicts", () => {
  const ESTIMATES = {
    faster: 0.42,
    slower: 1.38,
    same: 1.01,
    unclear: 1.1,
    withheld: 1.2,
    "not warm": 0.8,
    "no result": 1,
  };
  const found = (verdict: Verdict, nth: number) => {
    const estimate = ESTIMATES[verdict] + nth / 10;
    const ratio = { estimate, low: estimate * 0.9, high: estimate * 1.1 };
    return { target: "Cloudflare Workers", baseline: "Vercel Functions", verdict, ratio, cpu: null };
  };
  for (let mix = 1; mix < 4 ** VERDICTS.length; mix++) {
    const counts = VERDICTS.map((_, place) => Math.floor(mix / 4 ** place) % 4);
    const all = VERDICTS.flatMap((verdict, place) =>
      Array.from({ length: counts[place] ?? 0 }, (_, nth) => found(verdict, nth)),
    );
    const [sentence = ""] = sentencesOf(all, (name) => name);
    if (all.length === 1) {
      continue;
    }
    expect(sentence).toMatch(all.length === 2 ? /\b(2|both) cases/ : new RegExp(`\\b${all.length} cases`));
    VERDICTS.forEach((verdict, place) => {
      const match = new RegExp(`${verdict}[^,]*? in (?:all )?(both|\\d+)`).exec(sentence);
      const count = match?.[1] === "both" ? 2 : Number(match?.[1] ?? 0);
      expect(count, `${verdict}: ${sentence}`).toBe(counts[place]);
      if (verdict === "faster" && counts[place] === 3) {
        expect(sentence).toContain("38 to 58 % less");
      }
      if (verdict === "slower" && counts[place] === 2) {
        expect(sentence).toContain("38 to 48 % more");
      }
    });
  }
});

test("of a case that a cache answers nothing is compared, and each output says so", () => {
  const cached = 'Its answers come from a cache: node says "age: 12".';
  const data = analysed({ rounds: 20 }, ({ plan, ...run }) => {
    const cases = plan.cases.map((manifest) => (manifest.id === "trig" ? { ...manifest, cached } : manifest));
    return { ...run, plan: { ...plan, cases } };
  });
  const report = data.cases.find(({ manifest }) => manifest.id === "trig");
  expect(report).toMatchObject({ headline: { comparisons: [], control: null }, against: [] });
  const sentence = "A cache is measured in trig, which gives no verdict on platforms.";
  expect(data.summary.answer).toContain(sentence);
  const rows = summaryOf(data).rows.filter(({ caseId }) => caseId === "trig");
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    expect(row).toMatchObject({ cached, verdict: null, ratio: null, cpuRatio: null, computeRatio: null });
  }
  expect(renderMarkdown(data)).toContain("trig: a cache is measured.");
  expect(cardOf(data).notes.join(" ")).toContain(sentence);
  expect(renderTerminal(data, { width: 100, color: false })).toContain("A cache is measured in trig");
});

test("a run that was stopped says so first, with how many trials it has, and its verdicts behind that", () => {
  const interrupted = (trials: number) =>
    analysed({ rounds: 20, trials, status: "interrupted" }, ({ plan, ...run }) => {
      return { ...run, plan: { ...plan, trials: { minimum: 3, maximum: 10 } } };
    });
  const data = interrupted(1);
  const stopped = "The run was stopped after 1 of at most 10 trials of each case.";
  const [first, ...verdicts] = data.summary.sentences;
  expect(first).toBe(stopped);
  expect(verdicts[0]).toBe(
    "Cloudflare's workerd: unclear against Node.js in all 4 cases (no interval: too few trials count, or they differ too much).",
  );
  const markdown = renderMarkdown(data);
  expect(markdown.startsWith(`# ${stopped}\n\nCloudflare's workerd: unclear`)).toBe(true);
  const printed = renderTerminal(data, { width: 200, color: false });
  expect(printed.indexOf(stopped)).toBeGreaterThan(-1);
  expect(printed.indexOf(stopped)).toBeLessThan(printed.indexOf("Cloudflare's workerd: unclear"));
  expect(cardOf(data).notes[1]).toBe(stopped);
  const summary = summaryOf(data);
  expect(answerOfSummary({ run: data.run, summary })).toBe(summary.answer);
  expect(analysed({ rounds: 20 }).summary.stopped).toBeNull();
});

test("trials of a run that was stopped are counted from the case with the fewest to the one with the most", () => {
  const { run } = analysed({ rounds: 20, trials: 2, status: "interrupted" });
  const ofPlan = { ...run, plan: { ...run.plan, trials: { minimum: 10, maximum: 10 } } };
  expect(stoppedSentence(ofPlan, [0, 2, 1])).toBe(
    "The run was stopped after 0 to 2 of 10 trials of each case.",
  );
  expect(stoppedSentence({ ...ofPlan, status: "running" }, [2, 2])).toBe(
    "The run did not finish: it has 2 of 10 trials of each case.",
  );
  expect(stoppedSentence({ ...ofPlan, status: "complete" }, [2, 2])).toBeNull();
  expect(stoppedSentence(ofPlan, [10, 10])).toBeNull();
  expect(stoppedSentence({ ...ofPlan, vantages: [] }, [2, 2])).toBeNull();
});

test("a run whose trials had ended when it was stopped is not said to lack any", () => {
  const ended = { trialsEnded: true, plan: { trials: { minimum: 3, maximum: 10 } } } as const;
  for (const status of ["interrupted", "running"] as const) {
    const { run, summary } = analysed({ rounds: 20, trials: 4, status }, ({ plan, ...run }) => {
      return { ...run, ...ended, plan: { ...plan, ...ended.plan } };
    });
    expect(run.status).toBe(status);
    expect(summary.stopped).toBeNull();
    expect(summary.sentences[0]).toMatch(/^Cloudflare's workerd: /);
  }
});

test("trials of a run that was stopped are those that were measured, warm or not, in the report and in its summary", () => {
  const options = { rounds: 20, trials: 4, status: "interrupted" } as const;
  const data = analysed(options, ({ plan, ...run }) => {
    const warmUps = run.usage
      .filter(({ trial }) => trial < 2)
      .map(({ caseId, target, trial }) => {
        return { caseId, target, trial, exchanges: 9, needed: 900, warmAfter: null };
      });
    return { ...run, warmUps, plan: { ...plan, trials: { minimum: 3, maximum: 10 } } };
  });
  const warm = data.cases.flatMap(({ headline }) => headline?.summaries.map(({ trials }) => trials) ?? []);
  expect(Math.max(...warm)).toBeLessThan(4);
  const stopped = "The run was stopped after 4 of at most 10 trials of each case.";
  expect(data.summary.stopped).toBe(stopped);
  const summary = summaryOf(data);
  expect(summary.stopped).toBe(stopped);
  expect(answerOfSummary({ run: data.run, summary })).toBe(summary.answer);
  expect(summary.answer).toContain(stopped);
});

test("a run of caches alone has no answer, and says why", () => {
  const { summary } = analysed({ rounds: 20 }, ({ plan, ...run }) => {
    const cases = plan.cases.map((manifest) => ({ ...manifest, cached: "It is a file." }));
    return { ...run, plan: { ...plan, cases } };
  });
  expect(summary.answer).toBeNull();
  expect(summary.sentences[0]).toMatch(/^A cache is measured in .*, which gives no verdict on platforms\.$/);
  expect(summary.control).toContain("Caches are not compared");
});

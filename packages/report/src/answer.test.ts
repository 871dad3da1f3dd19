import { VERDICTS, type Verdict } from "@evenbench/stats";
import { expect, test } from "vitest";
import { analysed, withVerdict } from "../test/synthetic.ts";
import { summarise } from "./answer.ts";
import { sentencesOf } from "./sentences.ts";

test("where nothing is decided, the answer gives no number", () => {
  const { targets, cases } = withVerdict(analysed({ rounds: 20 }), "not warm");
  expect(summarise(targets, cases, null).answer).toBe(
    "Cloudflare's workerd: not warm in 4 of 4 cases. Vercel's host: not warm in 4 of 4 cases.",
  );
});

test("a platform's sentence has counts that add up, whatever its verdicts", () => {
  const ESTIMATES = {
    faster: 0.42,
    slower: 1.38,
    same: 1.01,
    inconclusive: 1.1,
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
    expect(sentence).toMatch(new RegExp(`\\b${all.length} cases`));
    VERDICTS.forEach((verdict, place) => {
      const words = verdict === "inconclusive" ? "no difference" : verdict;
      const match = new RegExp(`(?:(\\d+) ${words}|${words}[^,]*? in (\\d+))`).exec(sentence);
      expect(Number(match?.[1] ?? match?.[2] ?? 0), `${verdict}: ${sentence}`).toBe(counts[place]);
      if (verdict === "faster" && counts[place] === 3) {
        expect(sentence).toContain("38 to 58 % less");
      }
      if (verdict === "slower" && counts[place] === 2) {
        expect(sentence).toContain("38 to 48 % more");
      }
    });
  }
});

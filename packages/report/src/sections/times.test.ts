import type { Sample } from "@evenbench/results";
import { expect, test } from "vitest";
import { analysedWithCpu, STEADY_CPU } from "../../test/synthetic.ts";
import { renderMarkdown } from "../export/markdown.ts";
import { cacheAnswers } from "./times.ts";

/**
 * An answer of which a cache says something: of the first ones that it was missing, of every fifth that it is stale.
 */
function fromCache(sample: Sample): Sample {
  if (sample.phase === "warmup") {
    return { ...sample, cacheSaid: "miss" };
  }
  return { ...sample, cacheSaid: sample.roundIndex % 5 === 0 ? "stale" : "hit" };
}

test("what caches say of their answers is counted for each target, in every form of the report", () => {
  const data = analysedWithCpu({ rounds: 10 }, STEADY_CPU, fromCache);
  const [report] = data.cases;
  const remarks = report === undefined ? [] : cacheAnswers.remarks(report);
  const originals = data.targets.flatMap(({ name, copyOf }) => (copyOf === null ? name : []));
  expect(remarks.map(({ target }) => target)).toEqual(originals);
  for (const { sentence } of remarks) {
    expect(sentence).toMatch(
      /^says of its measured answers: hit \d+ \(median [\d.]+ ms\), stale \d+ \(median [\d.]+ ms\); of those while it warmed up: miss \d+\.$/,
    );
  }
  expect(renderMarkdown(data)).toContain("says of its measured answers: hit");
});

test("a platform that says of all that is computed that it was missing is not quoted, unless a cache is measured", () => {
  const missing = (sample: Sample): Sample => ({ ...sample, cacheSaid: "miss" });
  const [report] = analysedWithCpu({ rounds: 10 }, STEADY_CPU, missing).cases;
  if (report === undefined) {
    throw new Error("No case was analysed.");
  }
  expect(cacheAnswers.remarks(report)).toEqual([]);
  const kept = { ...report, manifest: { ...report.manifest, cached: "It is kept." } };
  expect(cacheAnswers.remarks(kept)[0]?.sentence).toMatch(/^says of its measured answers: miss \d+ /);
});

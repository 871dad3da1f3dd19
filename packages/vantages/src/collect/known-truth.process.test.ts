// k6 at three vantages behind ways of a known length, its logs collected, and the report asked: what is true
// must come out.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReport } from "@evenbench/report";
import { afterAll, expect, test } from "vitest";
import {
  caseOf,
  type KnownRoute,
  NEEDS_K6,
  namedOrigin,
  planOf,
  playRoutes,
  startCountingServer,
} from "../../test/index.ts";
import { collectLogs } from "./collect.ts";

const folder = await mkdtemp(join(tmpdir(), "evenbench-truth-"));
afterAll(() => rm(folder, { recursive: true }));

/** Plays, collects and reports: one case, on node and on a target that works for `workMs` longer. */
async function reportOver(routes: readonly KnownRoute[], workMs: number) {
  await using node = await startCountingServer({ workMs: 20 });
  await using other = await startCountingServer({ workMs: 20 + workMs });
  const plan = planOf({
    targets: { node: namedOrigin("node"), other: namedOrigin("other") },
    cases: (targets) => [caseOf("trig", targets)],
    trials: 3,
    warmUp: 1,
  });
  const played = await playRoutes(plan, { node: node.origin, other: other.origin }, routes);
  const logs = await Promise.all(
    played.map(async ({ text, begin }) => {
      const file = join(folder, `${begin?.vantage}.log`);
      await writeFile(file, text);
      return file;
    }),
  );
  const hash = played[0]?.begin?.plan ?? "";
  const { folder: run, problems } = await collectLogs({ plan, hash, logs, out: join(folder, "results") });
  expect(problems).toEqual([]);
  const report = await createReport(run, { width: 100, color: false });
  return { report, vantages: report.data.cases[0]?.vantages };
}

const sameWay = (vantage: string, ms: number) => ({ vantage, delayMs: { node: ms, other: ms } });

// Servers and clients share two cores with other tests: what is told apart here is far larger than what that costs.
test(
  "work of 50 ms is found over ways of 2, 20 and 60 ms, and the A/A copy is no difference",
  NEEDS_K6,
  async () => {
    const { report, vantages } = await reportOver(
      [sameWay("eu", 2), sameWay("us", 20), sameWay("ap", 60)],
      50,
    );
    const [other] = vantages?.comparisons ?? [];
    expect(other?.time.difference.vantages.map(({ vantage }) => vantage)).toEqual(["eu", "us", "ap"]);
    for (const judged of [other?.time, other?.compute]) {
      expect(judged?.verdict).toBe("slower");
      expect(judged?.difference.pooled?.estimate).toBeGreaterThan(40);
      expect(judged?.difference.pooled?.estimate).toBeLessThan(60);
    }
    expect(["no difference seen", "cannot tell"]).toContain(vantages?.control?.time.verdict);
    expect(report.answers.join()).toMatch(
      /^trig: other takes .* ms \(.*\) longer than node, over 3 vantages$/,
    );
  },
);

test("ways that are 0, 40 and 120 ms longer to one target make the vantages disagree", NEEDS_K6, async () => {
  const routes = [0, 40, 120].map((ms, index) => ({
    vantage: ["eu", "us", "ap"][index] ?? "",
    delayMs: { node: 2, other: 2 + ms },
  }));
  const { report, vantages } = await reportOver(routes, 0);
  expect(vantages?.comparisons[0]?.time.difference.pooled).toBeNull();
  expect(report.answers.join()).toMatch(/^trig: other: the vantages disagree: eu .*, us .*, ap /);
  // What was sent over the same ways without work takes them off again.
  expect(Math.abs(vantages?.comparisons[0]?.compute?.difference.mean?.estimate ?? 1e3)).toBeLessThan(20);
});

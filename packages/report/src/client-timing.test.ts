import type { Verdict } from "@evenbench/stats";
import { expect, test } from "vitest";
import { analysedWithCpu } from "../test/synthetic.ts";
import { clientTimingNotices } from "./client-timing.ts";
import type { CaseReport } from "./data.ts";
import { collectNotices } from "./notices.ts";

const data = analysedWithCpu({ rounds: 20 });

/** The verdicts of a case's two comparisons, by time and by CPU time; null: there is no CPU time. */
type Verdicts = readonly (readonly [time: Verdict, cpu: Verdict | null])[];

/** Gives a case these verdicts, and a client that was late in it. */
function late(index: number, verdicts: Verdicts): CaseReport {
  const report = data.cases[index];
  if (report?.headline == null || report.cpuTime === null) {
    throw new Error("The synthetic run has no such case.");
  }
  const { headline, cpuTime, manifest } = report;
  const times = headline.comparisons.map((comparison, at) => {
    return { ...comparison, verdict: verdicts[at]?.[0] ?? "inconclusive" };
  });
  const hasCpu = verdicts.every(([, cpu]) => cpu !== null);
  const cpuTimes = cpuTime.comparisons.map((comparison, at) => {
    return { ...comparison, verdict: verdicts[at]?.[1] ?? "inconclusive" };
  });
  return {
    ...report,
    headline: { ...headline, comparisons: times },
    cpuTime: hasCpu ? { ...cpuTime, comparisons: cpuTimes } : null,
    audit: [{ kind: "client-late", detail: `${manifest.id}: client event-loop delay` }],
  };
}

const noticeOf = (...cases: readonly CaseReport[]) => clientTimingNotices(cases, "case")[0];

test("where CPU time has the same verdicts, they stand, and the title says so", () => {
  const notice = noticeOf(
    late(0, [
      ["slower", "slower"],
      ["same", "same"],
    ]),
    late(1, [
      ["faster", "faster"],
      ["inconclusive", "slower"],
    ]),
  );
  expect(notice?.title).toBe(
    "Client timing unreliable in empty and react-ssr: CPU time agrees with all 2 differences there",
  );
  expect(notice?.remedy).toMatch(/^These verdicts stand\. .*"Same" stands, too/);
  expect(notice?.details).toEqual([
    "empty: client event-loop delay; cloudflare slower (CPU time: more), vercel same (CPU time: same)",
    "react-ssr: client event-loop delay; cloudflare faster (CPU time: less)",
  ]);
});

test("where CPU time says something else, the cases are named of which time alone speaks, and what is the same is less sure", () => {
  const notice = noticeOf(
    late(0, [
      ["slower", "slower"],
      ["same", "inconclusive"],
    ]),
    late(1, [
      ["faster", "same"],
      ["same", "same"],
    ]),
  );
  expect(notice?.title).toContain(": CPU time agrees with 1 of 2 differences there");
  expect(notice?.remedy).toContain("What CPU time agrees with stands. Of react-ssr (cloudflare) time alone");
  expect(notice?.remedy).toContain('"Same" is less sure there (CPU time says so in 1 of 2)');
});

test("without CPU time nothing is said to stand; without a difference the title ends with the cases, which are counted from four on", () => {
  const unknown = noticeOf(
    late(0, [
      ["slower", null],
      ["inconclusive", null],
    ]),
  );
  expect(unknown?.title).toBe("Client timing unreliable in empty: no CPU time to check it");
  expect(unknown?.remedy).toMatch(/^Of empty \(cloudflare\) time alone speaks/);
  expect(unknown?.remedy).not.toContain("stand");
  const open = [0, 1, 2, 3].map((index) =>
    late(index, [
      ["inconclusive", "inconclusive"],
      ["inconclusive", "inconclusive"],
    ]),
  );
  expect(noticeOf(...open)?.title).toBe("Client timing unreliable in 4 cases");
  expect(noticeOf(...open)?.remedy).toMatch(/^No verdict on time rests on it\./);
  expect(clientTimingNotices(data.cases, "case")).toEqual([]);
});

test("a run has one notice of it, and that of a busy machine claims nothing of cases whose targets drifted apart", () => {
  const [first, second, ...others] = data.cases;
  if (first === undefined || second === undefined) {
    throw new Error("The synthetic run has too few cases.");
  }
  const drift = { kind: "drift", detail: "react-ssr: all targets drifted alike" } as const;
  const apart = { kind: "drift-apart", detail: "empty: node became slower" } as const;
  const remedyOf = (...cases: readonly CaseReport[]) =>
    collectNotices(data.run, cases, []).find(({ title }) => title.startsWith("The machine was busy"))?.remedy;
  const moved = { ...second, audit: [drift] };
  expect(remedyOf(moved, ...others)).toContain("verdicts stand, and");
  expect(remedyOf({ ...first, audit: [apart] }, moved)).toContain(
    'read those of cases that "Targets drifted apart" names with care.',
  );
  const titles = collectNotices(data.run, [late(0, [["slower", "slower"]]), ...others], []).map(
    ({ title }) => title,
  );
  expect(titles.filter((title) => title.startsWith("Client timing"))).toHaveLength(1);
});

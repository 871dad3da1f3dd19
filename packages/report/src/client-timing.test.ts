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
    return { ...comparison, verdict: verdicts[at]?.[0] ?? "unclear" };
  });
  const hasCpu = verdicts.every(([, cpu]) => cpu !== null);
  const cpuTimes = cpuTime.comparisons.map((comparison, at) => {
    return { ...comparison, verdict: verdicts[at]?.[1] ?? "unclear" };
  });
  return {
    ...report,
    headline: { ...headline, comparisons: times },
    cpuTime: hasCpu ? { ...cpuTime, comparisons: cpuTimes } : null,
    audit: [
      {
        target: null,
        place: null,
        numbers: {},
        kind: "client-late",
        detail: `${manifest.id}: client event-loop delay`,
      },
    ],
  };
}

/** Gives the notice of cases in a run whose client was late by so many milliseconds. */
const noticeOf = (cases: readonly CaseReport[], delayMs = 3) =>
  clientTimingNotices(
    cases,
    cases.map(({ manifest }) => {
      return { caseId: manifest.id, trial: 0, wallMs: 1000, cpuMs: 500, eventLoopDelayP90Ms: delayMs };
    }),
    "case",
  )[0];

test("where CPU time has the same direction, differences stand, the title says so, and lines have both sizes", () => {
  const notice = noticeOf([
    late(1, [
      ["slower", "slower"],
      ["same", "same"],
    ]),
    late(3, [
      ["faster", "faster"],
      ["unclear", "slower"],
    ]),
  ]);
  expect(notice?.title).toBe(
    'Client timing unreliable in react-ssr and trig: "faster" and "slower" stand (CPU time has the same direction in both differences)',
  );
  expect(notice?.remedy).toContain('"Same" stands, too');
  expect(notice?.details).toEqual([
    expect.stringMatching(
      /^react-ssr: client event-loop delay; cloudflare slower \(time \S+ %, CPU time \S+ %\), vercel same \(time \S+ %, CPU time same\)$/,
    ),
    expect.stringMatching(
      /^trig: client event-loop delay; cloudflare faster \(time \+\d+ %, CPU time \+\d+ %\)$/,
    ),
  ]);
});

test("where CPU time says something else, the cases are named of which time alone speaks, and in which what is the same is less sure", () => {
  const notice = noticeOf([
    late(1, [
      ["slower", "slower"],
      ["same", "unclear"],
    ]),
    late(3, [
      ["faster", "same"],
      ["same", "same"],
    ]),
  ]);
  expect(notice?.title).toMatch(
    /: CPU time has the same direction in 1 of 2 differences, "same" is less sure in react-ssr$/,
  );
  expect(notice?.remedy).toMatch(/^Of trig \(cloudflare\) time alone .* The other differences stand\./);
});

test("where the client was late by more than half of a request, the size of the change is less sure", () => {
  const cases = [
    late(1, [
      ["slower", "slower"],
      ["same", "unclear"],
    ]),
    late(3, [["slower", "slower"]]),
  ];
  expect(noticeOf(cases, 8)?.title).toMatch(
    /: "slower" stands \(.* in both differences\), "same" and the size of the change are less sure in react-ssr$/,
  );
  expect(noticeOf(cases, 30)?.title).toMatch(
    /, "same" is less sure in react-ssr, the size of the change is less sure in react-ssr and trig$/,
  );
});

test("without CPU time nothing is said to stand; without a difference the title ends with the cases, which are counted from four on", () => {
  const unknown = noticeOf([
    late(1, [
      ["slower", null],
      ["unclear", null],
    ]),
  ]);
  expect(unknown?.title).toBe("Client timing unreliable in react-ssr: no CPU time to check it");
  expect(unknown?.remedy).toMatch(/^Of react-ssr \(cloudflare\) time alone speaks/);
  expect(unknown?.remedy).not.toContain("stand");
  const open = [0, 1, 2, 3].map((index) =>
    late(index, [
      ["unclear", "unclear"],
      ["unclear", "unclear"],
    ]),
  );
  expect(noticeOf(open)?.title).toBe("Client timing unreliable in 4 cases");
  expect(noticeOf(open)?.remedy).toMatch(/^No verdict on time rests on it\./);
  expect(clientTimingNotices(data.cases, data.run.clientLoad, "case")).toEqual([]);
});

test("a run has one notice of it, and that of a busy machine claims nothing of cases whose targets drifted apart", () => {
  const [first, second, ...others] = data.cases;
  if (first === undefined || second === undefined) {
    throw new Error("The synthetic run has too few cases.");
  }
  const drift = {
    target: null,
    place: null,
    numbers: {},
    kind: "drift",
    detail: "react-ssr: all targets drifted alike",
  } as const;
  const apart = {
    target: null,
    place: null,
    numbers: {},
    kind: "drift-apart",
    detail: "empty: node became slower",
  } as const;
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

// What the experiments under load decide, from stages that were made up to have a known answer.

import type { StageSummary } from "@evenbench/load";
import type { OfferedLoad } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { decide as decideCluster } from "../cluster/experiment.ts";
import { decide as decideLine } from "../head-of-line/experiment.ts";
import { bucketsOf, decide as decideNagle } from "../nagle/experiment.ts";
import { decide as decidePool } from "../pool-limit/experiment.ts";
import { type LoadAnswer, meanAt, ratioAt } from "./load-sides.ts";

interface Seen {
  readonly latencyMs: number;
  readonly perSecond: number;
  readonly cpuMs?: number;
  readonly inFlight?: number;
  readonly errors?: number;
}

const closed = (connections: number): OfferedLoad => ({ kind: "closed", connections });

/** One side at one load, in three trials that differ by a little. */
function stages(target: string, load: OfferedLoad, seen: Seen): StageSummary[] {
  return [0.99, 1, 1.01].map((scatter, trial): StageSummary => {
    const ms = seen.latencyMs * scatter;
    return {
      stage: {
        caseId: "any",
        target,
        trial,
        load,
        startedAtMs: 0,
        windowMs: 1000,
        sent: 100,
        queued: 0,
        late: 0,
        dropped: 0,
        completed: 100,
        meanInFlight: 1,
        usage: null,
        client: { wallMs: 1000, cpuMs: 100, eventLoopDelayP99Ms: 0 },
        ended: null,
      },
      exchanges: 100,
      errors: seen.errors ?? 0,
      perSecond: seen.perSecond * scatter,
      latency: { mean: ms, p50: ms, p95: ms, p99: ms, most: ms },
      serviceMeanMs: ms,
      waitMeanMs: 0,
      inFlightMean: (seen.inFlight ?? 0) * scatter,
      inFlightMost: seen.inFlight ?? 0,
      outstandingMean: 0,
      cpuMsPerExchange: (seen.cpuMs ?? 10) * scatter,
      bodyBytes: 71_000,
      little: null,
      held: null,
    };
  });
}

const answer = (...all: StageSummary[][]): LoadAnswer => ({ stages: all.flat(), notes: [] });
const verdicts = (figures: readonly { readonly verdict: string | null }[]) =>
  figures.map(({ verdict }) => verdict);

describe("places of a load", () => {
  const two = answer(
    stages("a", closed(1), { latencyMs: 10, perSecond: 100 }),
    stages("a", closed(8), { latencyMs: 80, perSecond: 100 }),
  );
  const latency = (summary: StageSummary) => summary.latency?.mean ?? null;

  test("are averaged over trials, and divided within them", () => {
    expect(meanAt(two, { side: "a", offered: 1 }, latency)?.estimate).toBeCloseTo(10);
    const ratio = ratioAt(two, { side: "a", offered: 8 }, { side: "a", offered: 1 }, latency);
    expect(ratio?.estimate).toBeCloseTo(8);
    expect(ratio?.high).toBeCloseTo(8);
  });
});

describe("head-of-line", () => {
  function sweep(platform: string, { busyMs, sharedMs, busyCpuMs }: Record<string, number>) {
    return [
      stages(platform, closed(1), { latencyMs: 10, perSecond: 100 }),
      stages(platform, closed(4), { latencyMs: 40, perSecond: 100 }),
      stages(platform, closed(32), { latencyMs: busyMs ?? 0, perSecond: 100, cpuMs: busyCpuMs ?? 0 }),
      stages(`${platform} x2`, closed(4), { latencyMs: sharedMs ?? 0, perSecond: 200 }),
    ];
  }
  const platforms = ["cloudflare", "node", "vercel"];
  const decided = (seen: Record<string, number>) =>
    decideLine(answer(...platforms.flatMap((one) => sweep(one, seen))));

  test("is reproduced where the wait grows, the CPU time does not, and a second instance takes of it", () => {
    const { verdict, figures, tables } = decided({ busyMs: 320, sharedMs: 20, busyCpuMs: 10.5 });
    expect(verdict).toBe("reproduced");
    expect(figures).toHaveLength(9);
    expect(tables[0]?.rows).toHaveLength(18);
  });

  test("is not where CPU time grows with the wait", () => {
    const { verdict, figures } = decided({ busyMs: 320, sharedMs: 20, busyCpuMs: 40 });
    expect(verdict).toBe("not reproduced");
    expect(verdicts(figures.slice(0, 3))).toEqual(["reproduced", "not reproduced", "reproduced"]);
  });
});

describe("pool-limit", () => {
  const rate = { kind: "open", perSecond: 200, arrivals: "poisson", connections: 512 } as const;
  function loads(waiting: number) {
    return {
      burst: answer(
        stages("pool of 20", closed(225), { latencyMs: 506, perSecond: 440, inFlight: waiting + 19 }),
      ),
      rate: answer(
        stages("pool of 100", rate, { latencyMs: 46, perSecond: 200, inFlight: 9.2 }),
        stages("pool of 5", rate, { latencyMs: 2000, perSecond: 110, inFlight: 200 }),
      ),
    };
  }

  test("is reproduced where as many wait as Little's law says", () => {
    expect(decidePool(loads(204))).toMatchObject({ verdict: "reproduced" });
  });

  test("is not where far fewer wait", () => {
    const { verdict, figures } = decidePool(loads(100));
    expect(verdict).toBe("not reproduced");
    expect(verdicts(figures.slice(0, 3))).toEqual(["not reproduced", "reproduced", "reproduced"]);
  });
});

describe("cluster", () => {
  const one = "1 worker, all cores";
  const scaling = (ratio: number, cores: number) =>
    answer(
      stages(one, closed(10), { latencyMs: 100, perSecond: 100 }),
      stages(`${cores} workers, all cores`, closed(10), { latencyMs: 50, perSecond: 100 * ratio }),
    );
  const loads = (ratio: number, cores = 2) => ({
    scaling: { "next-landing": scaling(ratio, cores), "next-page": scaling(ratio, cores) },
    death: answer(stages(one, closed(10), { latencyMs: 100, perSecond: 50, errors: 10 })),
  });

  test.each([
    [2.5, "reproduced"],
    [1.1, "not reproduced"],
  ])("with cores enough, %d times the answers of one process: %s", (ratio, verdict) => {
    expect(decideCluster(loads(ratio, 8), 8).verdict).toBe(verdict);
  });

  test("shows its figures and decides nothing where the machine has too few cores for the published ratio", () => {
    const { verdict, reason, figures, tables } = decideCluster(loads(1.9), 2);
    expect(verdict).toBe("inconclusive");
    expect(reason).toContain("this machine has 2 cores");
    expect(verdicts(figures).every((one) => one === null)).toBe(true);
    const ceilings = tables.at(-1)?.rows.find(([caseId]) => caseId === "next-landing");
    // 12.5 MB/s and 125 MB/s divided by 71,000 bytes, for a minute.
    expect(ceilings?.slice(1)).toEqual(["71.0 KB", "10,563", "105,633"]);
  });
});

test("nagle cannot tell without its comparisons, and shows its buckets all the same", () => {
  const { verdict, tables } = decideNagle({ comparisons: {}, own: [bucketsOf("node-nagle", "split", [])] });
  expect(verdict).toBe("inconclusive");
  for (const { head, rows } of tables) for (const row of rows) expect(row).toHaveLength(head.length);
});

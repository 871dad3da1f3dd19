import type { Sample } from "@evenbench/results";
import { expect, test } from "vitest";
import { drawNormal, testSample } from "../test/samples.ts";
import { analyseFit, fitCase } from "./analyse-case.ts";
import { analyseVantages } from "./places.ts";
import { seededRandom } from "./random.ts";

const question = {
  caseId: "case",
  metric: "lastByteMs",
  baseline: "node",
  copy: "node~copy",
  targets: ["node", "node~copy", "other"],
} as const;

/**
 * @param otherMs what its route adds to "other" alone.
 * @param edges of each client; null where none is named.
 */
function place(name: string, otherMs: number, edges: readonly (string | null)[] = [null], routeMs = 10) {
  return { name, otherMs, edges, routeMs };
}

const placesAt = (routesMs: readonly number[], otherMs: number) =>
  routesMs.map((routeMs, index) => place(`v${index}`, otherMs, [null], routeMs));

/** Three trials of 20 rounds a client, instances that differ by `instanceSd` milliseconds. */
function samplesFrom(
  places: readonly ReturnType<typeof place>[],
  { instanceSd = 0.3, seed = 1, transferToo = 0 } = {},
) {
  const random = seededRandom(seed);
  const clients = places.flatMap(({ edges, ...vantage }) =>
    edges.map((edge, client) => ({ ...vantage, edge, client: String(client + 1) })),
  );
  const trials = clients.flatMap((client) => [client, client, client]);
  return trials.flatMap(({ name: vantage, routeMs, otherMs, edge, client }, trial) =>
    question.targets.flatMap((target) => {
      const instance = instanceSd * drawNormal(random);
      const [longer, transferLonger] = target === "other" ? [otherMs, transferToo] : [0, 0];
      const from = { vantage, client, edge, httpVersion: "HTTP/1.1" };
      const sampleOf = (phase: Sample["phase"], roundIndex: number, ms: number) => {
        const lastByteMs = ms + drawNormal(random);
        return testSample({ target, trial, phase, roundIndex, lastByteMs, from, instanceId: target });
      };
      return Array.from({ length: 20 }, (_, round) => [
        sampleOf("measure", round, 32 + routeMs + longer + instance),
        sampleOf("transfer", round, 2 + routeMs + transferLonger),
      ]).flat();
    }),
  );
}

function otherIn(samples: readonly Sample[], warm = new Map()) {
  const [other] = analyseVantages(samples, { ...question, warm }).comparisons;
  return other as NonNullable<typeof other>;
}

test("an effect that comes from the routes is no difference: the vantages disagree, where trials alone say slower", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    // What a prototype called "slower 1.16 (1.04-1.28)": the routes differ, and nine trials were taken as independent.
    const samples = samplesFrom([place("eu", 0), place("us", 4), place("asia", 12)], { seed });
    const pooled = analyseFit(fitCase(samples, { ...question, copy: null }));
    const asIfIndependent = pooled.comparisons.find(({ target }) => target === "other");
    expect(asIfIndependent?.verdict).toBe("slower");
    expect(asIfIndependent?.ratio?.low).toBeGreaterThan(1);
    const { time } = otherIn(samples);
    expect(time.verdict).toBe("unclear");
    expect(time.why).toBe("places-disagree");
  }
  const opposite = otherIn(samplesFrom([place("a", 6), place("b", -6)])).time;
  expect(opposite.why).toBe("places-disagree");
});

test("the same difference from everywhere is found, whatever the routes take", () => {
  const { time, compute } = otherIn(samplesFrom(placesAt([1, 30, 80], 5)));
  expect(time.verdict).toBe("slower");
  expect(time.difference.mean?.low).toBeLessThan(5);
  expect(time.difference.mean?.high).toBeGreaterThan(5);
  expect(compute?.verdict).toBe("slower");
});

test("what a target's own transfer takes is no compute time", () => {
  const samples = samplesFrom(placesAt([1, 30, 80, 40, 5], 6), { transferToo: 6 });
  const { time, compute } = otherIn(samples);
  expect(time.verdict).toBe("slower");
  expect(compute?.difference.mean?.estimate).toBeCloseTo(0, 0);
  expect(compute?.verdict).not.toBe("slower");
});

test("vantages behind the same edge are one unit, and so are clients", () => {
  const samples = samplesFrom([
    place("a", 5, ["FRA"]),
    place("b", 5, ["FRA", "FRA"]),
    place("c", 5, ["IAD"]),
  ]);
  const { difference } = otherIn(samples).time;
  const estimates = difference.vantages.map(({ estimate }) => estimate);
  const [a = 0, b = 0, c = 0] = estimates;
  expect(difference.mean?.estimate).toBeCloseTo(((a + b) / 2 + c) / 2, 9);
  const single = otherIn(samplesFrom([place("a", 5, ["FRA"]), place("b", 5, ["FRA"])])).time;
  expect([single.verdict, single.difference.mean]).toEqual(["unclear", null]);
  expect(single.why).toBe("few-places");
});

test("a vantage's value is the mean of its edges, however many clients stand behind one", () => {
  const slow = samplesFrom([place("a", 9, ["FRA"])], { instanceSd: 0 });
  const fast = samplesFrom([place("a", 1, ["AMS", "AMS", "AMS"])], { instanceSd: 0 });
  const moved = fast.map((sample) => ({ ...sample, trial: sample.trial + 3 }));
  const [vantage] = otherIn([...slow, ...moved]).time.difference.vantages;
  expect(vantage?.estimate).toBeCloseTo(5, 0);
  expect(vantage?.edges).toEqual(["FRA, FRA", "AMS, AMS"]);
});

test("trials that were not warm are left out, and vantages where most were not", () => {
  const coldIn = (trials: readonly number[], vantages = [place("a", 5), place("b", 5)]) => {
    const warmth = trials.map((trial) => [trial, { code: "still-falling" }] as const);
    return otherIn(samplesFrom(vantages), new Map([["other", new Map(warmth)]]));
  };
  expect(coldIn([0, 1, 2, 3]).time).toMatchObject({
    verdict: "not warm",
    why: "not-warm",
  });
  const five = ["a", "b", "c", "d", "e"].map((name) => place(name, 5));
  const { time } = coldIn([0, 1, 2], [place("far", -40), ...five]);
  expect(time.verdict).toBe("slower");
  expect(time.difference.vantages.map(({ vantage }) => vantage)).not.toContain("far");
});

test("vantages that agree to the last digit are as sure as their trials, and no more", () => {
  const alone = samplesFrom([place("a", 5)]);
  const again = alone.map((sample) => ({
    ...sample,
    trial: sample.trial + 3,
    from: { ...sample.from, vantage: "b", client: "1", edge: null, httpVersion: null },
  }));
  const { difference } = otherIn([...alone, ...again]).time;
  const [first] = difference.vantages;
  expect(difference.mean?.estimate).toBe(first?.estimate);
  expect(difference.mean?.low).toBeLessThan(first?.interval?.low ?? Number.NaN);
});

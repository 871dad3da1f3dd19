import { expect, test } from "vitest";
import { fixtureCase, fixtureTarget } from "../test/fixture.ts";
import { eventsOf, shortRuns } from "../test/short-run.ts";

const { shortRun } = shortRuns();

/** A single request warms an instance up: the first measured answer is its second. */
const WARM_UP = 1;
const ROUNDS = 12;

/** Turns bad in the trials, and was sound in preflight. */
function turning(FAULT: string, from: number, count = Number.POSITIVE_INFINITY) {
  return fixtureTarget("odd", (start) =>
    start === 0 ? {} : { FAULT, FAULT_FROM: String(from), FAULT_FOR: String(count) },
  );
}

async function measuredOf(odd: ReturnType<typeof turning>, id: "short" | "marked") {
  const result = await shortRun({
    targets: [fixtureTarget("node"), odd],
    cases: { fixture: [fixtureCase(id)] },
    rounds: ROUNDS,
  });
  const measured = result.samples.filter(({ target, phase }) => target === "odd" && phase === "measure");
  return { result, measured };
}

test("a server that ends kept connections in place of an answer is dropped, though each request is sent again", async () => {
  const { result, measured } = await measuredOf(turning("closes", WARM_UP + 2), "short");
  expect(measured.filter(({ resent }) => resent === true)).toHaveLength(3);
  const detail = expect.stringContaining("3 errors in a row");
  expect(eventsOf(result, "target-dropped")).toMatchObject([{ target: "odd", detail }]);
});

test.each([
  ["changes", "digest", "marked"],
  ["other-type", "content-type", "short"],
  ["error-page", "length", "marked"],
] as const)(
  "a server that %s from the middle on has no such answer in its times, and is dropped",
  async (fault, kind, id) => {
    const from = WARM_UP + 4;
    const { result, measured } = await measuredOf(turning(fault, from), id);
    expect(measured.filter(({ error }) => error === null)).toHaveLength(4);
    for (const sample of measured) {
      expect(sample.error?.kind).toBe((sample.served ?? 0) >= from ? kind : undefined);
    }
    const detail = expect.stringContaining(`3 errors in a row, the last one ${kind}`);
    expect(eventsOf(result, "target-dropped")).toMatchObject([{ target: "odd", caseId: id, detail }]);
  },
);

test("one wrong body at the end of each trial is an error, and the only one, also where bodies vary", async () => {
  const last = WARM_UP + ROUNDS - 1;
  const { measured } = await measuredOf(turning("changes", last, 1), "marked");
  const failed = measured.filter(({ error }) => error !== null);
  expect(failed.map(({ trial, roundIndex, error }) => [trial, roundIndex, error?.kind])).toEqual([
    [0, ROUNDS - 1, "digest"],
    [1, ROUNDS - 1, "digest"],
  ]);
});

import { expect, test } from "vitest";
import { fixtureCase, fixtureTarget } from "../test/fixture.ts";
import { eventsOf, shortRuns } from "../test/short-run.ts";

const { shortRun } = shortRuns();

/** A single request warms an instance up: the first measured answer is its second. */
const WARM_UP = 1;
const ROUNDS = 12;

/** Turns bad in the trials, and was sound in preflight. */
function turning(name: string, FAULT: string, from: number, count = Number.POSITIVE_INFINITY) {
  return fixtureTarget(name, (start) =>
    start === 0 ? {} : { FAULT, FAULT_FROM: String(from), FAULT_FOR: String(count) },
  );
}

test("what turns wrong while it is measured is an error and no time, also where bodies vary; three in a row drop a target", async () => {
  const from = WARM_UP + 4;
  const kinds = { changes: "digest", "other-type": "content-type", "error-page": "length" };
  const last = WARM_UP + ROUNDS - 1;
  const result = await shortRun({
    targets: [
      fixtureTarget("node"),
      ...Object.keys(kinds).map((fault) => turning(fault, fault, from)),
      // Ends kept connections in place of an answer.
      turning("closes", "closes", WARM_UP + 2),
      turning("wrong-at-the-end", "changes", last, 1),
    ],
    cases: { fixture: [fixtureCase("marked")] },
    trials: 1,
    rounds: ROUNDS,
  });
  const measuredOf = (name: string) =>
    result.samples.filter(({ target, phase }) => target === name && phase === "measure");
  const dropped = new Map(eventsOf(result, "target-dropped").map((event) => [event.target, event]));
  expect([...dropped.keys()].sort()).toEqual([...Object.keys(kinds), "closes"].sort());
  for (const [fault, kind] of Object.entries(kinds)) {
    const measured = measuredOf(fault);
    expect(measured.filter(({ error }) => error === null)).toHaveLength(4);
    for (const sample of measured) {
      expect(sample.error?.kind).toBe((sample.served ?? 0) >= from ? kind : undefined);
    }
    const detail = expect.stringContaining(`3 errors in a row, the last one ${kind}`);
    expect(dropped.get(fault)).toMatchObject({ caseId: "marked", detail });
  }
  // Each request is sent again.
  expect(measuredOf("closes").filter(({ resent }) => resent === true)).toHaveLength(3);
  expect(dropped.get("closes")?.detail).toContain("3 errors in a row");
  const failed = measuredOf("wrong-at-the-end").filter(({ error }) => error !== null);
  expect(failed.map(({ roundIndex, error }) => [roundIndex, error?.kind])).toEqual([[ROUNDS - 1, "digest"]]);
});

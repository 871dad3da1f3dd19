import { expect, test } from "vitest";
import { fixtureCase, fixtureTarget } from "../test/fixture.ts";
import { eventsOf, shortRuns } from "../test/short-run.ts";

const { shortRun } = shortRuns();

/** A single request warms an instance up: the first measured answer is its second. */
const WARM_UP = 1;
const ROUNDS = 12;

/** Turns bad in the trials, and was sound in preflight. */
function turning(FAULT: string, from: number, count = Number.POSITIVE_INFINITY) {
  return fixtureTarget(FAULT, (start) =>
    start === 0 ? {} : { FAULT, FAULT_FROM: String(from), FAULT_FOR: String(count) },
  );
}

async function measure(odd: readonly ReturnType<typeof turning>[], id: "short" | "marked") {
  const result = await shortRun({
    targets: [fixtureTarget("node"), ...odd],
    cases: { fixture: [fixtureCase(id)] },
    rounds: ROUNDS,
  });
  const measuredOf = (name: string) =>
    result.samples.filter(({ target, phase }) => target === name && phase === "measure");
  return { result, measuredOf };
}

test("a server that ends kept connections in place of an answer is dropped, though each request is sent again", async () => {
  const { result, measuredOf } = await measure([turning("closes", WARM_UP + 2)], "short");
  expect(measuredOf("closes").filter(({ resent }) => resent === true)).toHaveLength(3);
  const detail = expect.stringContaining("3 errors in a row");
  expect(eventsOf(result, "target-dropped")).toMatchObject([{ target: "closes", detail }]);
});

test("servers whose answers turn wrong in the middle have no such answer in their times, and are dropped", async () => {
  const from = WARM_UP + 4;
  const kinds = { changes: "digest", "other-type": "content-type", "error-page": "length" };
  const odd = Object.keys(kinds).map((fault) => turning(fault, from));
  const { result, measuredOf } = await measure(odd, "marked");
  const dropped = new Map(eventsOf(result, "target-dropped").map((event) => [event.target, event]));
  expect(dropped.size).toBe(odd.length);
  for (const [fault, kind] of Object.entries(kinds)) {
    const measured = measuredOf(fault);
    expect(measured.filter(({ error }) => error === null)).toHaveLength(4);
    for (const sample of measured) {
      expect(sample.error?.kind).toBe((sample.served ?? 0) >= from ? kind : undefined);
    }
    const detail = expect.stringContaining(`3 errors in a row, the last one ${kind}`);
    expect(dropped.get(fault)).toMatchObject({ caseId: "marked", detail });
  }
});

test("one wrong body at the end of each trial is an error, and the only one, also where bodies vary", async () => {
  const last = WARM_UP + ROUNDS - 1;
  const { measuredOf } = await measure([turning("changes", last, 1)], "marked");
  const failed = measuredOf("changes").filter(({ error }) => error !== null);
  expect(failed.map(({ trial, roundIndex, error }) => [trial, roundIndex, error?.kind])).toEqual([
    [0, ROUNDS - 1, "digest"],
    [1, ROUNDS - 1, "digest"],
  ]);
});

import { expect, test } from "vitest";
import { exampleSample } from "../test/example.ts";
import { type Sample, SampleTable } from "./index.ts";
import { sampleSchema } from "./schema/sample.ts";

/** Fields that a sample can have, each with other values than the example's. */
const VARIANTS: readonly Partial<Sample>[] = [
  {},
  { target: "another", trial: 3, phase: "warmup", roundIndex: 2 ** 40, position: 2, startedAtMs: 0.1 + 0.2 },
  { connectMs: null, firstByteMs: null, lastByteMs: null, status: null, bodyBytes: null, instanceId: null },
  { position: 2 ** 16 - 1, served: 2 ** 16, inFlight: -0 },
  { served: null, inFlight: null, cpuMs: null, minorFaults: null },
  { connectMs: 0, served: 0, inFlight: 0, cpuMs: 0, minorFaults: 0, bodyBytes: 2 ** 53 - 1 },
  { cpuMs: 1.5, minorFaults: 7, instanceId: "__proto__" },
  { resent: true, cacheSaid: "hit" },
  { cacheSaid: "stale" },
  { error: { kind: "status", detail: "500" }, status: 500 },
  { error: { kind: "status", detail: "502" }, status: 502 },
  { from: { vantage: "eu", client: "a", edge: null, httpVersion: "1.1" } },
  { from: { vantage: "eu", client: "a", edge: "FRA", httpVersion: "1.1" } },
];
/** Number of samples of which all fields but few are equal: a whole part of each column, and a part of the next. */
const ALIKE = 7000;
/** Samples of two cases in turns: so many that columns grow twice, first alike and then not. */
const samples = Array.from({ length: 2 * ALIKE }, (_, index): Sample => {
  const caseId = index % 3 === 0 ? "first" : "second";
  const variant = index < ALIKE ? {} : VARIANTS[index % VARIANTS.length];
  return { ...exampleSample(index), ...variant, caseId };
});
/** Every field that one of the samples has. */
const FIELDS = [...new Set(samples.flatMap((sample) => Object.keys(sample)))] as readonly (keyof Sample)[];
const table = SampleTable.from(samples);

test.each(["first", "second"])("a table gives back every field of the samples of case %s, in order", (id) => {
  const given = samples.filter(({ caseId }) => caseId === id);
  const rows = table.takeCase(id);
  expect(rows).toHaveLength(given.length);
  // A row has its fields as getters of its class: they are read by name.
  const read = rows.map((row) => Object.fromEntries(FIELDS.map((field) => [field, row[field]])));
  const wanted = given.map((sample) => Object.fromEntries(FIELDS.map((field) => [field, sample[field]])));
  expect(read).toEqual(wanted);
});

test("a table has the fields that the schema has", () => {
  expect(FIELDS.toSorted()).toEqual(Object.keys(sampleSchema.unwrap().shape).toSorted());
});

test("a case without samples has none in a table, nor has one whose samples were taken", () => {
  expect(table.takeCase("third")).toEqual([]);
  const one = SampleTable.from([exampleSample(0)]);
  expect(one.takeCase("empty")).toHaveLength(1);
  expect(one.takeCase("empty")).toEqual([]);
});

// The files of --export.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type ConditionTest,
  conditionTest,
  EXPORTS,
  type Facts,
  type FailOn,
  gate,
  type Judged,
  type TestSuite,
  verdictWords,
} from "@evenbench/report";
import { writeWhole } from "@evenbench/results";
import { type Conditions, conditionText } from "./gate.ts";
import { suiteByLimit } from "./limits.ts";
import type { OutputOptions } from "./options.ts";
import { sayNote } from "./say.ts";

/** Writes the files that `--export` asks for. @param folder where those lie that nobody gave another place. */
export async function writeExports(facts: Facts, options: OutputOptions, folder: string): Promise<void> {
  for (const { format, file } of options.export ?? []) {
    const form = EXPORTS[format];
    const path = file ?? join(folder, form.file);
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, form.render(facts, testSuites(facts, options)));
    sayNote(`Exported: ${path}`);
  }
}

/** Gives what conditions found as tests, a suite for each. */
function testSuites(facts: Facts, { failOn = [], limits = [] }: Conditions): readonly TestSuite[] {
  return [
    ...failOn.map((condition) => suiteByGate(facts, condition)),
    ...limits.map((limit) => suiteByLimit(facts, limit)),
  ];
}

function suiteByGate(facts: Facts, failOn: FailOn): TestSuite {
  const { met, open, unknown, ruledOut, absent, asked } = gate(facts, failOn);
  const isEmpty = asked + unknown.length + absent.length === 0;
  const of = (judged: readonly Judged[], outcome: ConditionTest["outcome"]) =>
    judged.map((each) => conditionTest(facts, each, outcome, verdictWords(each)));
  // A suite without a test would be taken for a success.
  const columns = isEmpty ? originalsOf(facts) : absent;
  return {
    name: conditionText(failOn),
    tests: [
      ...of(met, "failed"),
      ...of(open, "skipped"),
      ...of(ruledOut, "passed"),
      ...unknown.map((place) => conditionTest(facts, place, "skipped", "not measured")),
      ...columns.map((column) => ({ column, name: null, outcome: "skipped", why: "not compared" }) as const),
    ],
  };
}

/** Lists the columns of all targets but copies, each once. */
function originalsOf({ targets }: Facts): readonly string[] {
  return [...new Set(targets.flatMap(({ copyOf, column }) => (copyOf === null ? [column] : [])))];
}

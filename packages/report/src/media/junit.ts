// Facts as JUnit XML, which GitLab, Jenkins, Azure and Buildkite show beside other tests.
import { terminalLine } from "@evenbench/core";
import { html, type Markup } from "@evenbench/page";
import type { Change, Facts } from "../facts/facts.ts";
import type { Judged } from "../facts/trends.ts";
import { caseName, mainChanges } from "../words/columns.ts";
import { METRICS, TIME } from "../words/metrics.ts";
import { verdictWords } from "../words/trends.ts";

/** What a condition says of what was measured. */
export interface TestSuite {
  /** The condition as it is typed: "cpu slower 10%". */
  readonly name: string;
  readonly tests: readonly ConditionTest[];
}

/** What a condition says of a target, in a case or in all. */
export interface ConditionTest {
  readonly column: string;
  /** Name of the case, with the quantity where that is not the time; null for all cases. */
  readonly name: string | null;
  readonly outcome: "failed" | "skipped" | "passed";
  /** Why it did not pass; not shown of what passed. */
  readonly why: string;
}

/** Makes the test of a target in a case. @param of what it is of; without a quantity where nothing was measured. */
export function conditionTest(
  facts: Facts,
  of: Pick<Judged, "case" | "target"> & Partial<Pick<Judged, "metric">>,
  outcome: ConditionTest["outcome"],
  why: string,
): ConditionTest {
  const { case: caseId, target, metric = TIME } = of;
  const column = facts.targets.find(({ name }) => name === target)?.column ?? target;
  const parts = [caseName(facts, caseId), metric === TIME ? null : METRICS[metric].short];
  return { column, name: parts.filter((part) => part !== null).join(": ") || null, outcome, why };
}

/**
 * Writes facts as JUnit XML.
 *
 * @param suites one for each condition. Without one, each comparison is a test: what is slower by its time failed, and what
 * was not decided was skipped.
 */
export function junit(facts: Facts, suites: readonly TestSuite[] = []): string {
  const all = suites.length > 0 ? suites : [byVerdict(facts)];
  return `<?xml version="1.0" encoding="UTF-8"?>
${
  html`<testsuites>
${all.map((suite) => suiteMarkup(facts, suite))}</testsuites>`.text
}
`;
}

const OUTCOMES: Readonly<Record<Change["verdict"], ConditionTest["outcome"]>> = {
  slower: "failed",
  unclear: "skipped",
  none: "skipped",
  faster: "passed",
  same: "passed",
};

/** Makes the suite of a run without a condition. */
function byVerdict(facts: Facts): TestSuite {
  const tests = mainChanges(facts).map((change) =>
    conditionTest(facts, change, OUTCOMES[change.verdict], verdictWords(change)),
  );
  return { name: "slower", tests };
}

function suiteMarkup({ run }: Facts, { name, tests }: TestSuite): Markup {
  const count = (outcome: ConditionTest["outcome"]) =>
    tests.filter((test) => test.outcome === outcome).length;
  return html`<testsuite name="${`evenbench: ${name}`}" id="${run.id}" timestamp="${run.startedAt}" tests="${tests.length}" failures="${count("failed")}" errors="0" skipped="${count("skipped")}">
${tests.map(testMarkup)}</testsuite>
`;
}

function testMarkup({ column, name, outcome, why }: ConditionTest): Markup {
  // Jenkins shows the attribute, and GitLab the content alone.
  const became = {
    failed: html`<failure message="${why}">${why}</failure>`,
    skipped: html`<skipped message="${why}">${why}</skipped>`,
    passed: null,
  };
  return html`<testcase classname="${terminalLine(column)}" name="${terminalLine(name ?? "all")}">${became[outcome]}</testcase>
`;
}

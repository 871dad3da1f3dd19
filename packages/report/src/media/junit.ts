// Facts as JUnit XML, which GitLab, Jenkins, Azure and Buildkite show beside other tests.
import { terminalLine } from "@evenbench/core";
import { html, type Markup } from "@evenbench/page";
import type { Change, Facts } from "../facts/facts.ts";
import { mainChanges } from "../words/columns.ts";
import { cell } from "../words/notation.ts";

/** Comparisons that are tests of one condition, by what became of them. */
export interface TestSuite {
  /** The condition as it is typed: "cpu slower 10%". */
  readonly name: string;
  readonly failed: readonly Change[];
  readonly skipped: readonly Change[];
  readonly passed: readonly Change[];
  /** Columns of which nothing was compared. */
  readonly absent: readonly string[];
}

/**
 * Writes facts as JUnit XML: each comparison is a test.
 *
 * @param suites one for each condition of `--fail-on`. Without one, what is slower by its time failed, and what was not
 * decided was skipped.
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

/** Makes the suite of a run without a condition. */
function byVerdict(facts: Facts): TestSuite {
  const changes = mainChanges(facts);
  const of = (...verdicts: readonly Change["verdict"][]) =>
    changes.filter(({ verdict }) => verdicts.includes(verdict));
  return {
    name: "slower",
    failed: of("slower"),
    skipped: of("unclear", "none"),
    passed: of("faster", "same"),
    absent: [],
  };
}

function suiteMarkup(facts: Facts, { name, failed, skipped, passed, absent }: TestSuite): Markup {
  const skips = skipped.length + absent.length;
  const tests = failed.length + skips + passed.length;
  return html`<testsuite name="${`evenbench: ${name}`}" id="${facts.run.id}" timestamp="${facts.run.startedAt}" tests="${tests}" failures="${failed.length}" errors="0" skipped="${skips}">
${failed.map((change) => testCase(facts, change, html`<failure message="${cell(change)}"/>`))}${skipped.map((change) => testCase(facts, change, html`<skipped message="${cell(change)}"/>`))}${passed.map((change) => testCase(facts, change, null))}${absent.map((column) => testMarkup(column, "all", html`<skipped message="not compared"/>`))}</testsuite>
`;
}

function testCase(
  { cases, targets }: Facts,
  { case: caseId, target }: Change,
  outcome: Markup | null,
): Markup {
  const column = targets.find(({ name }) => name === target)?.column ?? target;
  const name = cases.find(({ id }) => id === caseId)?.path ?? caseId ?? "start-up";
  return testMarkup(column, name, outcome);
}

function testMarkup(column: string, name: string, outcome: Markup | null): Markup {
  return html`<testcase classname="${terminalLine(column)}" name="${terminalLine(name)}">${outcome}</testcase>
`;
}

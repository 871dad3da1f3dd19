// Facts as JUnit XML, which GitLab, Jenkins, Azure and Buildkite show beside other tests.
import { terminalLine } from "@evenbench/core";
import { html, type Markup } from "@evenbench/page";
import type { Change, Facts } from "../facts/facts.ts";
import type { Judged } from "../facts/trends.ts";
import { mainChanges } from "../words/columns.ts";
import { METRICS, TIME } from "../words/metrics.ts";
import { verdictWords } from "../words/trends.ts";

/** Comparisons that are tests of one condition, by what became of them. */
export interface TestSuite {
  /** The condition as it is typed: "cpu slower 10%". */
  readonly name: string;
  readonly failed: readonly Judged[];
  readonly skipped: readonly Judged[];
  readonly passed: readonly Judged[];
  /** What the condition asks and nobody measured. */
  readonly unknown: readonly Place[];
  /** Columns of which nothing was compared. */
  readonly absent: readonly string[];
}

/** A target, in a case or in all. */
type Place = Pick<Judged, "case" | "target">;
/** What a test is of; without a quantity where nothing was measured. */
type Tested = Place & Partial<Pick<Judged, "metric">>;

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
    unknown: [],
    absent: [],
  };
}

function suiteMarkup(facts: Facts, { name, failed, skipped, passed, unknown, absent }: TestSuite): Markup {
  const skips = skipped.length + unknown.length + absent.length;
  const tests = failed.length + skips + passed.length;
  return html`<testsuite name="${`evenbench: ${name}`}" id="${facts.run.id}" timestamp="${facts.run.startedAt}" tests="${tests}" failures="${failed.length}" errors="0" skipped="${skips}">
${failed.map((change) => testCase(facts, change, html`<failure message="${verdictWords(change)}"/>`))}${skipped.map((change) => testCase(facts, change, html`<skipped message="${verdictWords(change)}"/>`))}${passed.map((change) => testCase(facts, change, null))}${unknown.map((place) => testCase(facts, place, html`<skipped message="not measured"/>`))}${absent.map((column) => testMarkup(column, "all", html`<skipped message="not compared"/>`))}</testsuite>
`;
}

function testCase(
  { cases, targets }: Facts,
  { case: caseId, target, metric }: Tested,
  outcome: Markup | null,
): Markup {
  const column = targets.find(({ name }) => name === target)?.column ?? target;
  const ofCase = cases.find(({ id }) => id === caseId)?.path ?? caseId;
  const quantity = metric === undefined || metric === TIME ? null : METRICS[metric].short;
  return testMarkup(column, [ofCase, quantity].filter((part) => part !== null).join(": ") || "all", outcome);
}

function testMarkup(column: string, name: string, outcome: Markup | null): Markup {
  return html`<testcase classname="${terminalLine(column)}" name="${terminalLine(name)}">${outcome}</testcase>
`;
}

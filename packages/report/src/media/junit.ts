// Facts as JUnit XML, which GitLab, Jenkins, Azure and Buildkite show beside other tests.
import { terminalLine } from "@evenbench/core";
import { html, type Markup } from "@evenbench/page";
import type { Change, Facts } from "../facts/facts.ts";
import { columnsOf, mainChanges, ofColumn } from "../words/columns.ts";
import { cell } from "../words/notation.ts";

/** Writes facts as JUnit XML: each comparison by time is a test. What is slower failed, and what was not decided was skipped. */
export function junit(facts: Facts): string {
  const changes = mainChanges(facts);
  const cases = columnsOf(facts).flatMap((column) =>
    ofColumn(column, changes).map((change) => testCase(facts, column.name, change)),
  );
  const failures = changes.filter(({ verdict }) => verdict === "slower").length;
  const skipped = changes.filter(isSkipped).length;
  return `<?xml version="1.0" encoding="UTF-8"?>
${
  html`<testsuites>
<testsuite name="${`evenbench ${facts.run.id}`}" tests="${changes.length}" failures="${failures}" skipped="${skipped}" timestamp="${facts.run.startedAt}">
${cases}</testsuite>
</testsuites>`.text
}
`;
}

/** Tells whether a comparison decided nothing. */
function isSkipped({ verdict }: Change): boolean {
  return verdict === "unclear" || verdict === "none";
}

function testCase(facts: Facts, column: string, change: Change): Markup {
  const name = facts.cases.find(({ id }) => id === change.case)?.path ?? change.case ?? "start-up";
  return html`<testcase classname="${terminalLine(column)}" name="${terminalLine(name)}">${outcome(change)}</testcase>
`;
}

/** Writes what became of a comparison; nothing for one that is not slower. */
function outcome(change: Change): Markup | null {
  if (isSkipped(change)) {
    return html`<skipped message="${cell(change)}"/>`;
  }
  return change.verdict === "slower" ? html`<failure message="${cell(change)}"/>` : null;
}

import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Of what the first try said, so many lines: a difference of two large objects has hundreds. */
const MOST_LINES = 30;

/**
 * Prints "N passed, N failed, N skipped" alone on the last line, for machines that read logs. Before it stand
 * the tests that passed at their second try only, with the reason why the first one failed, and how many were
 * skipped for want of what: "9 skipped: memcached is not installed. ..."
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let failed = unhandledErrors.length;
    let passed = 0;
    let skipped = 0;
    const missing = new Map<string, number>();
    const flaky: string[] = [];
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped += 1;
        if (test.diagnostic()?.flaky)
          flaky.push(`${module.relativeModuleId} > ${test.fullName}${whyItFailed(test)}`);
        const reason = test.meta().missing;
        if (reason !== undefined) missing.set(reason, (missing.get(reason) ?? 0) + 1);
      }
    }
    if (missing.size + flaky.length > 0) console.log();
    for (const name of flaky) console.log(`passed at its second try only: ${name}`);
    for (const [reason, tests] of missing) console.log(`${tests} skipped: ${reason}`);
    console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
}

/** What the first try failed with, on lines of their own; empty where nobody tells. */
function whyItFailed(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  if (error === undefined) return "";
  const [frame] = error.stacks ?? [];
  const place = frame === undefined ? "" : ` (line ${frame.line})`;
  const said = stripVTControlCharacters(`${error.message}${place}\n${error.diff ?? ""}`).trimEnd();
  return said
    .split("\n")
    .slice(0, MOST_LINES)
    .map((line) => `\n  ${line}`)
    .join("");
}

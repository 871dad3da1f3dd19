import type { Reporter, TestModule } from "vitest/node";

/**
 * A reporter of Vitest for machines that read logs: "N passed, N failed, N skipped" stands alone on the last
 * line.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const ended = (state: string) => tests.filter((test) => test.result().state === state).length;
    const passed = ended("passed");
    const failed = ended("failed");
    const errors = unhandledErrors.length + modules.flatMap((module) => module.errors()).length;
    const missing = tests.flatMap((test) => test.meta().missing ?? []);
    if (missing.length > 0) {
      console.log();
    }
    for (const [reason, { length }] of Map.groupBy(missing, (reason) => reason)) {
      console.log(`${length} skipped: ${reason}`);
    }
    console.log(`\n${passed} passed, ${failed + errors} failed, ${tests.length - passed - failed} skipped`);
  }
}

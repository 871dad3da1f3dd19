import type { Reporter, TestModule } from "vitest/node";

/** For machines that read logs: "N passed, N failed, N skipped" stands alone on the last line. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let failed = unhandledErrors.length;
    let passed = 0;
    let skipped = 0;
    const missing = new Map<string, number>();
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped += 1;
        const reason = test.meta().missing;
        if (reason !== undefined) missing.set(reason, (missing.get(reason) ?? 0) + 1);
      }
    }
    if (missing.size > 0) console.log();
    for (const [reason, tests] of missing) console.log(`${tests} skipped: ${reason}`);
    console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
}

import type { Reporter, TestModule } from "vitest/node";
import { timeOf } from "./time-of-file.ts";

const SHOWN = 10;

/**
 * Prints the files that took longest, and how long all took: one after the other would take the sum, several
 * at a time take less.
 */
export default class SlowestFiles implements Reporter {
  private startedAtMs = 0;

  onTestRunStart(): void {
    this.startedAtMs = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({ path: module.relativeModuleId, seconds: timeOf(module) }))
      .sort((one, other) => other.seconds - one.seconds);
    const sum = files.reduce((total, { seconds }) => total + seconds, 0);
    console.log(`\nThe slowest of ${files.length} test files:`);
    for (const { path, seconds } of files.slice(0, SHOWN))
      console.log(`${seconds.toFixed(1).padStart(8)} s  ${path}`);
    const took = (performance.now() - this.startedAtMs) / 1000;
    console.log(`${sum.toFixed(1).padStart(8)} s  all files added up, run in ${took.toFixed(1)} s`);
  }
}

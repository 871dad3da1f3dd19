import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { readTimes } from "./keep-times.ts";

/**
 * Begins with the files that take longest: one that begins last keeps a single worker busy while the others
 * have nothing left to do. Times are those of the last run here; in a new clone, those that keep-times.ts
 * wrote into test-times.json. Files without any come after those with one, in Vitest's own order.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const kept = readTimes();
    const { root } = this.ctx.config;
    const secondsOf = (file: TestSpecification) => {
      const last = this.ctx.cache.getTestSpecificationResult(file);
      // A run of one test of a file says nothing of the others.
      return Math.max((last?.duration ?? 0) / 1000, kept[relative(root, file.moduleId)] ?? 0);
    };
    const seconds = new Map(files.map((file) => [file, secondsOf(file)]));
    const groupOf = (file: TestSpecification) => file.project.config.sequence.groupOrder;
    return (await super.sort(files)).toSorted(
      (one, other) => groupOf(one) - groupOf(other) || (seconds.get(other) ?? 0) - (seconds.get(one) ?? 0),
    );
  }
}

import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "@evenbench/core";
import type { LocalTarget } from "@evenbench/runner";
import { type Experiment, sidesOf } from "./define.ts";
import { deployableOf } from "./sides.ts";

export interface BuildOptions {
  readonly experiments: readonly Experiment[];
  readonly targets: readonly LocalTarget[];
  readonly missing: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  onEvent?(line: string): void;
}

export async function buildSides(options: BuildOptions): Promise<ReadonlyMap<string, string>> {
  const missing = new Map(options.missing);
  const done = new Set<string>();
  for (const experiment of options.experiments) {
    for (const side of sidesOf(experiment)) {
      const target = options.targets.find(({ name }) => name === side.target);
      const deployable = deployableOf(experiment.id, side);
      if (side.build === undefined || deployable === null || target === undefined) continue;
      if (done.has(deployable) || options.signal.aborted) continue;
      done.add(deployable);
      options.onEvent?.(`Building ${target.name} for ${experiment.id}: ${side.build.name} ...`);
      try {
        await rm(deployable, { recursive: true, force: true });
        await mkdir(dirname(deployable), { recursive: true });
        await side.build.build(target, deployable);
      } catch (error) {
        const why = messageOf(error);
        missing.set(deployable, `it could not be built: ${why}`);
        options.onEvent?.(`${target.name} could not be built for ${experiment.id}: ${why}`);
      }
    }
  }
  return missing;
}

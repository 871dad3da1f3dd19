import { join } from "node:path";
import { assertId, firstRepeated } from "@evenbench/core";
import { LeftOutError, loadEach } from "@evenbench/host";
import { type Experiment, type ExperimentDefinition, sidesOf } from "./define.ts";

/** Absolute path of the folder with a folder for each experiment. */
export const experimentsDirectory = join(import.meta.dirname, "..");

/** Loads all experiments, sorted by id. @throws {HostError} when one cannot be loaded. */
export function discoverExperiments(): Promise<Experiment[]> {
  return loadEach("experiment.ts", experimentsDirectory, ["."], (id, definition) => {
    if (!isExperiment(definition)) {
      throw new LeftOutError("it must have `defineExperiment({ ... })` as its default export");
    }
    const experiment = { ...definition, id };
    refuseUnclear(experiment);
    return experiment;
  });
}

function isExperiment(value: unknown): value is ExperimentDefinition<unknown> {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const measures = ["comparisons", "loads", "measure"].some((part) => part in value);
  return measures && ("decide" in value || "figures" in value);
}

/** Refuses an experiment whose names do not tell its sides apart. @throws {LeftOutError} with the name. */
function refuseUnclear(experiment: Experiment): void {
  const plans = [...(experiment.comparisons ?? []), ...(experiment.loads ?? [])];
  const repeated = firstRepeated(plans.map(({ id }) => id));
  if (repeated !== null) {
    throw new LeftOutError(`two comparisons or loads have the id "${repeated}"`);
  }
  for (const { id, sides } of plans) {
    assertId(id, "Comparison");
    const name = firstRepeated(sides.map((side) => side.name));
    if (name !== null) {
      throw new LeftOutError(`two sides of "${id}" are named "${name}"`);
    }
  }
  for (const { build } of sidesOf(experiment)) {
    if (build !== undefined) {
      assertId(build.name, "Build");
    }
  }
}

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assertId } from "@evenbench/core";
import { type Experiment, type ExperimentDefinition, sidesOf } from "./define.ts";

export const experimentsDirectory = join(import.meta.dirname, "..");

/** Sorted by id. @throws {TypeError} when a name is no id, or a file does not export an experiment as default. */
export async function discoverExperiments(directory = experimentsDirectory): Promise<Experiment[]> {
  const names = (await readdir(directory)).filter((name) => existsSync(fileOf(directory, name))).sort();
  return Promise.all(
    names.map(async (id) => {
      assertId(id, "Experiment");
      const file = fileOf(directory, id);
      const { default: definition }: { default?: unknown } = await import(pathToFileURL(file).href);
      if (!isExperiment(definition))
        throw new TypeError(`${file} must have \`defineExperiment({ ... })\` as its default export.`);
      const experiment = { ...definition, id };
      refuseUnclear(experiment, file);
      return experiment;
    }),
  );
}

function fileOf(directory: string, id: string): string {
  return join(directory, id, "experiment.ts");
}

function isExperiment(value: unknown): value is ExperimentDefinition<unknown> {
  if (typeof value !== "object" || value === null) return false;
  const measures = ["comparisons", "loads", "profiles", "measure"].some((part) => part in value);
  return measures && ("decide" in value || "figures" in value);
}

/** Names of sides become names of targets and folders: they must tell sides apart. */
function refuseUnclear(experiment: Experiment, file: string): void {
  const plans = experiment.comparisons ?? [];
  const repeated = firstRepeated(plans.map(({ id }) => id));
  if (repeated !== null) throw new TypeError(`${file}: two comparisons have the id "${repeated}".`);
  for (const { id, sides } of plans) {
    assertId(id, "Comparison");
    const name = firstRepeated(sides.map((side) => side.name));
    if (name !== null) throw new TypeError(`${file}: two sides of "${id}" are named "${name}".`);
  }
  for (const { build } of sidesOf(experiment)) if (build !== undefined) assertId(build.name, "Build");
}

function firstRepeated(names: readonly string[]): string | null {
  return names.find((name, index) => names.indexOf(name) !== index) ?? null;
}

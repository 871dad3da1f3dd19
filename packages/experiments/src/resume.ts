import { type ExperimentsRun, UserError } from "@evenbench/core";
import { readExperiments } from "@evenbench/results";
import { describeMachine, ownVersion } from "@evenbench/runner/engine";

/** What must be as it was, or results would stand in one table that are of different things. */
const SAME = ["system", "cpuModel", "cores", "clientNode"] as const;

/**
 * An earlier run of experiments with those that it finished: the one during which it was interrupted is not among them.
 *
 * @throws {ResultsError} when there is none in the folder; {UserError} when another Evenbench or another machine made it.
 */
export async function readToResume(folder: string): Promise<ExperimentsRun> {
  const run = await readExperiments(folder);
  const machine = describeMachine(null);
  const other = SAME.find((fact) => run.machine[fact] !== machine[fact]);
  const difference =
    run.evenbenchVersion !== ownVersion()
      ? `by Evenbench ${run.evenbenchVersion}, and this is ${ownVersion()}`
      : other && `on another machine: ${run.machine[other]} instead of ${machine[other]}`;
  if (difference !== undefined)
    throw new UserError(
      `The run in ${folder} was made ${difference}. Leave out --resume to begin a new one.`,
    );
  return { ...run, results: run.status === "interrupted" ? run.results.slice(0, -1) : run.results };
}

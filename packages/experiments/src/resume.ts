import { formatDuration, UserError } from "@evenbench/core";
import { version } from "@evenbench/host";
import { type ExperimentsRun, readExperiments } from "@evenbench/results";
import { describeMachine } from "@evenbench/runner/engine";

/** What must be as it was, or results would stand in one table that are of different things. */
const SAME = ["system", "cpuModel", "cores", "clientNode"] as const;

/**
 * An earlier run of experiments with those that it finished: the one during which it was interrupted is not
 * among them.
 *
 * @throws {ResultsError} when there is none in the folder; {UserError} when another Evenbench or another
 *   machine made it.
 */
export async function readToResume(folder: string): Promise<ExperimentsRun> {
  const run = await readExperiments(folder);
  const machine = describeMachine(null);
  const other = SAME.find((fact) => run.machine[fact] !== machine[fact]);
  const difference =
    run.evenbenchVersion !== version
      ? `by Evenbench ${run.evenbenchVersion}, and this is ${version}`
      : other && `on another machine: ${run.machine[other]} instead of ${machine[other]}`;
  if (run.machine.coresApart !== null)
    throw new UserError(
      `The run in ${folder} kept a core for the client, and experiments share all cores now. Leave out --resume to begin a new one.`,
    );
  if (difference !== undefined)
    throw new UserError(
      `The run in ${folder} was made ${difference}. Leave out --resume to begin a new one.`,
    );
  return { ...run, results: run.results.filter(({ id }) => id !== run.unfinished) };
}

/**
 * What each experiment of a run that is gone on with may take: as much as each had before.
 *
 * @throws {UserError} when another time is asked for: results of two times in one table would not say so.
 */
export function timeOfBoth({ timeMs }: ExperimentsRun, asked: number | undefined): number | undefined {
  if (asked === undefined || asked === timeMs) return timeMs ?? undefined;
  const before = timeMs === null ? "a time of its own" : formatDuration(timeMs);
  throw new UserError(
    `Each claim of that run had ${before}, and this asks for ${formatDuration(asked)}. Leave out --time, or leave out --resume to begin a new one.`,
  );
}

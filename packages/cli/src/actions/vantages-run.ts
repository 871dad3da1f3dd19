import { messageOf } from "@evenbench/core";
import { parsePlaces, readPlan, runVantages, type VantageOutcome } from "@evenbench/vantages";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { UsageError } from "../nearest.ts";
import { say, sayAside, sayNote } from "../say.ts";

export interface VantagesRunOptions {
  readonly at: readonly string[];
  readonly together?: boolean;
}

export async function vantagesRun(
  folder: string,
  { at, together = false }: VantagesRunOptions,
  exit: Exit,
): Promise<void> {
  const places = placesOf(at);
  const read = await readPlan(folder);
  if (read.plan.kind === "rounds" && together && places.length > 1) {
    sayAside(
      "! All vantages at the same time: they queue behind each other in one instance, and what is measured is also that. Without --together they take turns.",
    );
  }
  const signal = interruptible("Stopping; the logs of vantages that are done are kept.");
  const outcomes = await runVantages({
    read,
    places,
    together,
    environment: process.env,
    signal,
    onStart: ({ vantage, destination }) =>
      sayNote(`${vantage}: playing on ${destination ?? "this machine"} ...`),
    onEnd: sayOutcome,
  });
  if (signal.aborted) exit.code = ExitCode.interrupted;
  else if (outcomes.some(({ problem }) => problem !== null)) exit.code = ExitCode.failed;
}

/** @throws {UsageError} for a word that is no vantage. */
function placesOf(words: readonly string[]): ReturnType<typeof parsePlaces> {
  try {
    return parsePlaces(words);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function sayOutcome({ vantage, log, exchanges, problem }: VantageOutcome): void {
  if (problem === null) say(`${vantage}: ${exchanges} requests, ${log}`);
  else sayAside(`! ${vantage} is not whole: ${problem}`);
}

import { formatDuration } from "@evenbench/core";
import type { createLoadReport } from "@evenbench/load";
import { type Report, renderSoFar, terminalOptions } from "@evenbench/report";
import type { Run, RunEvent } from "@evenbench/results";
import type { Progress, RunOptions } from "@evenbench/runner";
import { interruptible } from "./exit.ts";
import { pickBaseline } from "./nearest.ts";
import {
  isOfOwnServers,
  type OutputOptions,
  type OwnServerOptions,
  type SelectionOptions,
} from "./options.ts";
import { readOwnServers } from "./own-servers.ts";
import { type ProgressDisplay, runProgress } from "./progress.ts";
import { say, sayJson, sayNote, sayPainted } from "./say.ts";
import type { Check, Chosen } from "./selection.ts";

/** Of the repository; or a user's own servers, with a case for each path. */
export async function choose(
  options: SelectionOptions & OwnServerOptions,
  check: Check = () => {},
): Promise<Chosen> {
  if (!isOfOwnServers(options)) return (await import("./selection.ts")).chooseOfRepository(options, check);
  const { OWN_SERVER_APP } = await import("@evenbench/core");
  const { targets, cases } = await readOwnServers(options);
  pickBaseline(options.baseline, targets);
  await check(
    targets,
    cases.map(({ id }) => id),
  );
  return { targets, missing: [], cases: { [OWN_SERVER_APP]: cases }, otherCaseIds: [] };
}

export function watching<P = Progress>(
  { clear, show, stand }: ProgressDisplay<P> = runProgress(process.stderr) as ProgressDisplay<P>,
  signal = interruptible(),
  of = "",
) {
  return {
    clear,
    signal,
    onProgress: show,
    onTurn({ run, analyses }: Parameters<NonNullable<RunOptions["onTurn"]>>[0]) {
      // A smoke test compares nothing.
      if (run.plan.warmUpExchanges !== null) return;
      clear();
      stand(renderSoFar(run, analyses, terminalOptions(process.stderr)));
    },
    onPlan(expectedMs: number) {
      clear();
      sayNote(`Measuring${of} takes about ${formatDuration(expectedMs)} on a quiet machine.`);
    },
    onEvent({ kind, detail }: Pick<RunEvent, "kind" | "detail">) {
      // Said when it happened, with the build's own words.
      if (kind === "build-failed") return;
      clear();
      sayNote(`! ${detail}`);
    },
  };
}

export function isWhole({ status, events }: Pick<Run, "status" | "events">): boolean {
  return status === "complete" && events.every(({ kind }) => kind !== "target-dropped");
}

export function printReport(
  { terminal, answers, summary, htmlFile, markdownFile, cardFile }: Report,
  { quiet, json }: OutputOptions,
): void {
  if (json) {
    sayJson(summary, 2);
    return;
  }
  if (quiet) say(`${answers.join("\n")}\n`);
  else sayPainted(terminal);
  say(`Report: ${htmlFile}\n        ${markdownFile}\n        ${cardFile}`);
}

export function printLoadReport(
  { data, terminal, answers, htmlFile }: Awaited<ReturnType<typeof createLoadReport>>,
  { quiet, json }: OutputOptions,
): void {
  if (json) {
    const cases = data.cases.map(({ manifest, targets }) => ({ caseId: manifest.id, targets }));
    sayJson({ id: data.run.id, warnings: data.warnings, cases }, 2);
    return;
  }
  say(`${quiet ? answers.map((answer) => `${answer}\n`).join("") : terminal}\nReport: ${htmlFile}`);
}

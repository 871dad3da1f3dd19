import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { withQuotes } from "@evenbench/core/errors";
import { terminalOptions } from "@evenbench/page";
import { createReport, type Facts, factsSoFar, loadTerminal, soFar } from "@evenbench/report";
import { LOAD_FILE } from "@evenbench/results";
import type { RunOptions, ToldEvent } from "@evenbench/runner";
import { ExitCode, exit, interruptible } from "./exit.ts";
import { writeExports } from "./exports.ts";
import { exitCodeOf } from "./gate.ts";
import { pickBaseline } from "./nearest.ts";
import type { OutputOptions, OwnAppOptions, SelectionOptions } from "./options.ts";
import { ownAppOf } from "./own-app-options.ts";
import { namesOwnServers, type OwnServerOptions } from "./own-server-options.ts";
import { readOwnServers } from "./own-servers.ts";
import { progressDisplay, type Shown } from "./progress.ts";
import { sayJson, sayNote, sayPainted } from "./say.ts";
import type { Check, Selection } from "./selection.ts";

/** Options of an own app, without `--build`: selections of the repository have `--no-build`, a switch of that name. */
type ChosenOwnApp = Omit<OwnAppOptions, "build">;

/** Chooses what a command works with: the user's own app or servers, or targets and cases of the repository. */
export async function choose(
  options: SelectionOptions & OwnServerOptions & ChosenOwnApp,
  check: Check = () => {},
): Promise<Selection> {
  const folder = ownAppOf(options);
  if (folder !== null) {
    return (await import("./own-app.ts")).chooseOwnApp(folder, options, check);
  }
  if (!namesOwnServers(options)) {
    return (await import("./selection.ts")).chooseOfRepository(options, check);
  }
  const { OWN_SERVER_APP } = await import("@evenbench/core");
  const { targets, cases } = await readOwnServers(options);
  pickBaseline(options.baseline, targets);
  await check(targets);
  return { targets, missing: [], cases: { [OWN_SERVER_APP]: cases }, otherCaseIds: [] };
}

/** The display of a measurement in a terminal while it goes on. Its fields are options of runs, loads and profiles. */
export interface ProgressListeners<P> extends Required<Pick<RunOptions, "onTurn">> {
  /** Writes why preflight waits. */
  onWait(sentence: string): void;
  /** Removes what is shown, before something else is written. */
  clear(): void;
  /** Aborts with Ctrl-C. */
  readonly signal: AbortSignal;
  onProgress(progress: P): void;
  onEvent(event: Pick<ToldEvent, "kind" | "detail" | "quotes">): void;
}

/** Makes the display of a measurement. */
export function progressListeners<P>(
  describe: (progress: P) => Shown,
  signal: AbortSignal = interruptible(),
): ProgressListeners<P> {
  const { clear, show, stand } = progressDisplay();
  return {
    clear,
    signal,
    onProgress: (progress: P) => show(describe(progress)),
    onTurn({ run, analyses }) {
      // A smoke test compares nothing.
      if (run.plan.warmUpExchanges !== null) {
        return;
      }
      clear();
      stand(soFar(factsSoFar(run, analyses), terminalOptions(process.stderr)));
    },
    onWait(sentence: string) {
      clear();
      sayNote(sentence);
    },
    onEvent({ kind, detail: message, quotes }: Pick<ToldEvent, "kind" | "detail" | "quotes">) {
      // Said when it happened, with the build's own words.
      if (kind === "build-failed") {
        return;
      }
      clear();
      sayNote(`! ${withQuotes({ message, quotes })}`);
    },
  };
}

/** Makes the reports of a run or a load that has ended, and sets the exit code by what was measured and asked. */
export async function finish(folder: string, options: OutputOptions, signal: AbortSignal): Promise<void> {
  const facts = await reportOn(folder, options);
  const code = signal.aborted
    ? ExitCode.interrupted
    : exitCodeOf(facts, options, facts.run.status === "complete");
  // Something that was left out before has set it, too.
  if (code !== ExitCode.done) {
    exit.code = code;
  }
}

/**
 * Makes the reports of a folder, of a run with the loads in it, or of a load, and prints them.
 *
 * @param keepsWhole true where a report of more samples than are left may not be replaced.
 * @returns what it found.
 */
export async function reportOn(folder: string, options: OutputOptions, keepsWhole = false): Promise<Facts> {
  const { json } = options;
  const { createLoadReport, loadsIn } = await import("@evenbench/load");
  if (existsSync(join(folder, LOAD_FILE))) {
    const { facts, htmlFile } = await createLoadReport(folder);
    if (json) {
      sayJson(facts, 2);
    } else {
      sayPainted(loadTerminal(facts, { ...terminalOptions(), report: shortPath(htmlFile) }));
    }
    return facts;
  }
  const { facts, terminal } = await createReport(shortPath(folder), terminalOptions(), {
    loadsOf: loadsIn,
    keepsWhole,
  });
  if (json) {
    sayJson(facts, 2);
  } else {
    sayPainted(terminal);
  }
  await writeExports(facts, options, shortPath(folder));
  return facts;
}

/** Writes a path from the working folder on, where it lies below that. */
export function shortPath(path: string): string {
  const from = relative(process.cwd(), path);
  return from.startsWith("..") || isAbsolute(from) ? path : from;
}

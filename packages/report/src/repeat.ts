import { OWN_SERVER_APP, sourceOfCase } from "@evenbench/core";
import type { Run } from "@evenbench/results";
import type { CaseReport, ReportData } from "./data.ts";
import { nextSteps } from "./facts/next.ts";
import { isOfOwnServers } from "./notices.ts";
import { type CommandChange, commandOf, IN_A_CLONE, stepWords } from "./words/command.ts";

/** Writes the command of a run as it was typed. */
export function shortCommand(run: Run, change?: CommandChange): string {
  const isOwn = isOfOwnServers(run.plan);
  const cases = run.plan.cases.map(({ id, path }) => {
    return { id, path: isOwn ? path : null, app: isOwn ? OWN_SERVER_APP : "" };
  });
  return commandOf({ run: { command: run.command ?? null }, cases, targets: [] }, change) ?? "npm run bench";
}

/** Writes the command that makes the same plan again, with its seed. */
export function repeatCommand(run: Run): string {
  return shortCommand(run, { cases: [], options: { seed: String(run.plan.seed) } });
}

/** A command that measures something again which has no verdict, so that it may have one. */
interface Mending {
  /** What it is for: words with a colon at their end. */
  readonly reason: string;
  /** The command line. */
  readonly command: string;
}

/** Gives what to do about cases without a verdict. */
export function suggestedCommands(data: Pick<ReportData, "run" | "cases">): readonly Mending[] {
  const isOwn = isOfOwnServers(data.run.plan);
  const cases = [{ id: "", path: isOwn ? "/" : null, app: "" }];
  return nextSteps(data).map((step) => {
    return { reason: `${stepWords({ cases }, step)}:`, command: shortCommand(data.run, step) };
  });
}

/** The source of a case, and the command that measures it again. */
export interface CaseLinks {
  /** Path of the case's source in its repository; null for a case of own servers, which know nothing of Evenbench. */
  readonly path: string | null;
  /** Address of that source at the run's commit; null without a repository that is known and unchanged. */
  readonly url: string | null;
  /** A command line that measures this case alone with the run's settings. */
  readonly command: string;
}

/** Finds where a case of a run comes from, and how its targets are measured in it again. */
export function caseLinks(
  { manifest, targets }: Pick<CaseReport, "manifest" | "targets">,
  run: Run,
): CaseLinks {
  const { plan, source } = run;
  const [target] = plan.targets.filter(({ name }) => targets.includes(name));
  const path = isOfOwnServers(plan)
    ? null
    : (manifest.source ?? sourceOfCase(target?.app ?? "", manifest.id));
  const isKnown = path !== null && source?.repository != null && !source.changed;
  return {
    path,
    url: isKnown ? `${source.repository}/blob/${source.commit}/${path}` : null,
    command: shortCommand(run, { cases: [manifest.id], options: {} }),
  };
}

export { IN_A_CLONE };

import { CARD_FILE } from "../card-file.ts";
import type { ReportData } from "../data.ts";
import { listed, range } from "../format.ts";
import { placeOf, whatRan } from "../machine-words.ts";
import { shortCommand } from "../repeat.ts";

/** What to paste where a result is told: the answer, its picture, what it does not say, and how to repeat it. */
export function shareText({ run, summary, warnings }: ReportData): string {
  const { plan } = run;
  const isLocal = plan.targets.every(({ place }) => place === "local");
  const trials = `${range(plan.trials)} trials a case`;
  const notices = warnings.length === 0 ? "" : ` Notices: ${listed(warnings.map(({ title }) => title))}.`;
  const lines = [
    ...(summary.answer === null ? [summary.compared] : summary.sentences),
    "",
    `Picture: ${CARD_FILE} in the run's folder`,
    `${placeOf(run)}; ${trials}, warm code${isLocal ? ", no network" : ""}.${notices}`,
    `${whatRan(run)}.`,
    "",
    shortCommand(run),
    `Evenbench ${run.evenbenchVersion}, run ${run.id}`,
  ];
  return lines.join("\n");
}

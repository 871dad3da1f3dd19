// What the display of progress says of a load.
import { LOAD_PHASES, type LoadProgress } from "@evenbench/load";
import { loadWords } from "@evenbench/report";
import { type CasesByApp, CHECKING, namesOfCases, type Shown } from "./progress.ts";

/** Makes the function that describes the progress of a load. */
export function loadDescriber(cases: CasesByApp): (progress: LoadProgress) => Shown {
  const nameOf = namesOfCases(cases);
  return (progress) => describeLoad(progress, nameOf);
}

function describeLoad(progress: LoadProgress, nameOf: (id: string) => string): Shown {
  const { phase, caseId, target, load, stagesDone, stagesMost } = progress;
  const parts: string[] = [phase === "preflight" ? CHECKING : LOAD_PHASES[phase]];
  if (caseId !== null) {
    parts.unshift(nameOf(caseId), `trial ${progress.trial + 1} of ${progress.trials}`);
  }
  if (target !== null) {
    parts.push(target);
  }
  if (load !== null) {
    parts.push(loadWords(load));
  }
  if (stagesDone < stagesMost) {
    parts.push(`stage ${stagesDone + 1} of ${stagesMost} at most`);
  }
  const key = phase === "load" ? null : `${phase} ${caseId} ${progress.trial}`;
  return { text: parts.join(" · "), key };
}

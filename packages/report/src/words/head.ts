// What a reader has to know before any count: what has no result, and how a run ended.
import { counted } from "@evenbench/page";
import type { Facts, Notice, RunFacts } from "../facts/facts.ts";
import { answerBeside, answers, baselineName } from "./columns.ts";
import { noticeLine, VOID_SIGN } from "./notices.ts";
import { WHY_WORDS } from "./why.ts";

/** How a run ended; null where it measured all of its plan. */
export const ENDINGS: Readonly<Record<RunFacts["status"], string | null>> = {
  complete: null,
  interrupted: "The run was stopped",
  failed: "The run did not finish",
  running: "The run did not finish",
};

/** Says what was found: the counts of each column, in a sentence each, and those by CPU time; that nothing was compared. */
export function foundLines(facts: Facts): readonly [string, ...string[]] {
  const [first = "Nothing was compared.", ...others] = answers(facts);
  return [first, ...others, ...answerBeside(facts, "cpuMs")];
}

/** Lists what comes before all else, in every medium: what is void, then how the run ended, then what it cannot say. */
export function stateLines(facts: Facts): readonly string[] {
  const voids = noticeLines(facts, "void").map((line) => `${VOID_SIGN} ${line}`);
  return [...voids, ...statusLines(facts.run), ...absentLines(facts)];
}

function noticeLines(facts: Facts, weight: Notice["weight"]): readonly string[] {
  return facts.notices
    .filter((notice) => notice.weight === weight)
    .map((notice) => `${noticeLine(facts, notice)}.`);
}

function statusLines({ status, trials, quick }: RunFacts): readonly string[] {
  const ending = ENDINGS[status];
  const { fewest, most, planned } = trials;
  const had = fewest === most ? String(most) : `${fewest} to ${most}`;
  const after = fewest < planned ? `, after ${had} of ${counted(planned, "trial")}` : "";
  return [
    ...(ending === null ? [] : [`${VOID_SIGN} ${ending}${after}.`]),
    ...(quick ? ["A smoke test: it shows that everything runs."] : []),
  ];
}

/** Says against what the others stand where the usual baseline is absent: it stands first among the targets. */
function absentLines(facts: Facts): readonly string[] {
  const [usual] = facts.targets;
  const isCompared = facts.changes.some(({ role }) => role === "main");
  if (usual === undefined || usual.absent === null || !isCompared) {
    return [];
  }
  return [
    `${usual.spoken}: ${WHY_WORDS[usual.absent.code]}, so the others are compared with ${baselineName(facts)}.`,
  ];
}

/** Lists what a reader has to know before results are used, in a line each without a sign. */
export function cautionLines(facts: Facts): readonly string[] {
  return noticeLines(facts, "caution");
}

// The picture of a run that is shared: what it shows, from facts alone.
import { type CardContent, drawSvg } from "../card/draw.ts";
import type { Change, Facts } from "../facts/facts.ts";
import {
  adapterNotes,
  baselineName,
  caseTitle,
  columnsOf,
  mainChanges,
  ofColumn,
  targetOf,
} from "../words/columns.ts";
import { commandOf } from "../words/command.ts";
import { countsOf, countWords } from "../words/counts.ts";
import { cautionLines, foundLines, stateLines } from "../words/head.ts";
import { footnote } from "../words/mark.ts";
import { METRICS, TIME } from "../words/metrics.ts";
import { dayOf, placeWords, sentence, trialWords, versionWords } from "../words/names.ts";
import { cell, SAME_RATIOS } from "../words/notation.ts";

/** Draws the card of a run as SVG. */
export function card(facts: Facts): string {
  return drawSvg(cardOf(facts));
}

/** Gives what the card of a run shows. */
export function cardOf(facts: Facts): CardContent {
  const changes = mainChanges(facts);
  const [first, ...others] = columnsOf(facts);
  const own = first === undefined ? [] : ofColumn(first, changes);
  const isOneCase = facts.cases.length === 1;
  const shown = isOneCase ? changes : own;
  const further = isOneCase ? [] : others;
  const [claim] = foundLines(facts);
  return {
    state: stateLines(facts),
    claim,
    says: foundLines(facts).join(" "),
    quantity: METRICS[TIME].title.toLowerCase(),
    baseline: baselineName(facts),
    unit: changes.some(({ unit }) => unit === "ms") ? "ms" : "ratio",
    same: changes.every(({ unit }) => unit === "ratio") ? SAME_RATIOS : [],
    rows: shown.map((change) => ({
      label: isOneCase ? (targetOf(facts, change.target)?.spoken ?? change.target) : titleOf(facts, change),
      change,
      value: cell(change, "drawn"),
    })),
    note: [
      ...further.map(
        (column) => `${column.spoken}: ${countWords(countsOf(ofColumn(column, changes)), TIME)}.`,
      ),
      sentence([trialWords(facts), placeWords(facts), versionWords(facts)], "; "),
      sentence([footnote(shown)], ""),
      ...cautionLines(facts),
      ...adapterNotes(facts),
    ]
      .filter((words) => words !== "")
      .join(" "),
    origin: `${facts.run.evenbench} · ${dayOf(facts)}`,
    command: commandOf(facts),
    isSmokeTest: facts.run.quick,
  };
}

/** Gives the title of a change's case; empty for what is a target's. */
function titleOf({ cases }: Facts, change: Change): string {
  const found = cases.find(({ id }) => id === change.case);
  return found === undefined ? "" : caseTitle(found);
}

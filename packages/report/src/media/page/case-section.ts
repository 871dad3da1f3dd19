// The section of one case: what it is, its numbers, its drawings, its source and its command.
import { formatBytes, html, type Markup } from "@evenbench/page";
import type { CaseDetails } from "../../facts/details.ts";
import type { CaseFacts, Facts } from "../../facts/facts.ts";
import { caseTitle } from "../../words/columns.ts";
import { commandOf } from "../../words/command.ts";
import { loadAnswer } from "../../words/loads.ts";
import { capitalised, trialWords } from "../../words/names.ts";
import { copiedCommand } from "./command.ts";
import { distribution, trials, warmUp } from "./drawings.ts";
import { loadFigures } from "./load-figures.ts";
import { changeTable, detailTables, levelTable, placeTable, remarkList } from "./tables.ts";

/** Writes the section of a case. @param details null where a run has no samples: then there are no drawings. */
export function caseSection(
  facts: Facts,
  each: CaseFacts,
  details: CaseDetails | null,
  loads: readonly Facts[] = [],
): Markup {
  const { id, description, notSameCode, bodiesVary } = each;
  const figures = [
    details === null ? null : distribution(facts, each, details),
    trials(facts, each),
    details === null ? null : warmUp(facts, each, details),
  ].filter((figure) => figure !== null);
  const drawn = figures.length === 0 ? null : html`<div class="figures">${figures}</div>`;
  const named = [...(each.path === null ? [id] : []), ...answerLength(facts, each)];
  const notes = [notSameCode, bodiesVary].filter((note) => note !== null);
  return html`<section class="case" aria-labelledby="title-${id}"><details><summary><h3 id="title-${id}">${caseTitle(each)} <small>${named.join(" · ")}</small></h3></summary><div id="case-${id}">
<p class="lead">${description}</p>
${notes.map((note) => html`<p class="note">${note}</p>`)}${changeTable(facts, each)}${levelTable(facts, each)}${placeTable(facts, each)}${drawn}${loads.map((load) => underLoad(load, each))}
${details === null ? null : more(facts, each, details)}
${sourceLine(facts, each)}</div></details></section>
`;
}

/** Writes what a load found in the same case; null where it did not ask it. */
function underLoad(load: Facts, { id }: CaseFacts): Markup | null {
  const asked = load.cases.find((each) => each.id === id);
  return asked === undefined
    ? null
    : html`<h4>Under load</h4><p>${loadAnswer(load, asked)} ${capitalised(trialWords(load))}, load ${load.run.id}.</p>${loadFigures(load, asked, true)}`;
}

/** Writes what is in no table of the first kind, folded. */
function more(facts: Facts, each: CaseFacts, details: CaseDetails): Markup {
  return html`${remarkList(facts, details.remarks)}<details class="numbers"><summary>Warm-up, trials, processes</summary>${detailTables(facts, each, details)}</details>`;
}

/** Gives the length of the baseline's answer; empty where it is not known. */
function answerLength({ answers }: Facts, { id, baseline }: CaseFacts): readonly string[] {
  const answer = answers.find((each) => each.case === id && each.target === baseline);
  return answer?.bytes == null ? [] : [formatBytes(answer.bytes)];
}

/** Writes where a case's source is, and the command that measures it again. */
function sourceLine(facts: Facts, { id, source }: CaseFacts): Markup {
  const { repository, commit } = facts.run;
  const code = source === null ? null : html`<code>${source}</code>`;
  const linked =
    code === null || repository === null || commit === null
      ? code
      : html`<a href="${repository}/tree/${commit}/${source}">${code}</a>`;
  const command = commandOf(facts, { cases: [id], options: {} });
  return html`<p class="links">${linked === null ? null : html`Source: ${linked}. `}${command === null ? null : html`Measure it again: ${copiedCommand(command, `command-${id}`)}`}</p>`;
}

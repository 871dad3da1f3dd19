// Which pictures a page has: one for each quantity that was compared and each baseline.
import { html, type Markup } from "@evenbench/page";
import type { Change, Facts, Metric } from "../../facts/facts.ts";
import { baselineName, type Column, columnsIn, columnsOf, mainChanges } from "../../words/columns.ts";
import { METRICS } from "../../words/metrics.ts";
import { capitalised } from "../../words/names.ts";

/** The quantities that have a tab, in their order. */
const TABS: readonly Metric[] = ["lastByteMs", "cpuMs", "firstByteMs", "coldStartMs"];

/** Something that all others of a picture are compared with. */
interface Against {
  /** 0 is what the run was made for, and is shown first. */
  readonly index: number;
  readonly spoken: string;
}

/** One picture with its changes. */
export interface Picture {
  readonly metric: Metric;
  readonly against: Against;
  readonly columns: readonly Column[];
  readonly changes: readonly Change[];
}

/** Lists the pictures of a run: of each quantity against its own baseline, then against each other column. */
export function picturesOf(facts: Facts): readonly Picture[] {
  const own: Against = { index: 0, spoken: baselineName(facts) };
  const others = columnsOf(facts).map((column, index) => ({ column, index: index + 1 }));
  return TABS.flatMap((metric) => {
    const main = mainChanges(facts, metric);
    const measured = { metric, against: own, columns: columnsIn(facts, main), changes: main };
    const further = others.map(({ column, index }) => {
      const changes = changesAgainst(facts, column, metric);
      const against = { index, spoken: column.spoken };
      return { metric, against, columns: columnsIn(facts, changes), changes };
    });
    return [measured, ...further].filter(({ changes }) => changes.length > 0);
  });
}

/** Gives the changes by a quantity of which a column is the baseline in the place of the run's own. */
function changesAgainst({ changes }: Facts, { targets }: Column, metric: Metric): readonly Change[] {
  const names = new Set(targets.map(({ name }) => name));
  return changes.filter(
    (change) =>
      change.role === "other" &&
      change.metric === metric &&
      change.place === null &&
      names.has(change.baseline),
  );
}

/** Writes the choice of quantity and baseline, which works without a script; null where there is nothing to choose. */
export function tabs(pictures: readonly Picture[]): Markup | null {
  const metrics = [...new Set(pictures.map(({ metric }) => metric))];
  const baselines = baselinesOf(pictures);
  if (metrics.length < 2 && baselines.length < 2) {
    return null;
  }
  const ofMetrics = metrics.map((metric, index) =>
    tab("metric", metric, capitalised(METRICS[metric].short), index === 0),
  );
  const ofBaselines = baselines.map(({ index, spoken }) =>
    tab("against", String(index), spoken, index === 0),
  );
  return html`<div class="tabs">${group("Quantity", "visually-hidden", ofMetrics)}${group("against", "", ofBaselines)}</div>`;
}

function baselinesOf(pictures: readonly Picture[]): readonly Against[] {
  return [...new Map(pictures.map(({ against }) => [against.index, against])).values()];
}

/** Writes a group of tabs; null where it has a single one. */
function group(name: string, className: string, all: readonly Markup[]): Markup | null {
  const shown = className === "" ? null : html` class="${className}"`;
  return all.length < 2 ? null : html`<fieldset><legend${shown}>${name}</legend>${all}</fieldset>`;
}

function tab(name: string, value: string, words: string, isFirst: boolean): Markup {
  const checked = isFirst ? html` checked` : null;
  return html`<label><input type="radio" name="${name}" value="${value}"${checked}>${words}</label> `;
}

/** Writes the rules of style that hide the pictures which are not chosen. */
export function tabStyle(pictures: readonly Picture[]): string {
  const metrics = [...new Set(pictures.map(({ metric }) => metric))];
  const baselines = baselinesOf(pictures).map(({ index }) => String(index));
  const rule = (name: string, value: string) =>
    `main:has(input[name="${name}"][value="${value}"]:not(:checked)) [data-${name}="${value}"]{display:none}\n`;
  const ofMetrics = metrics.length < 2 ? [] : metrics.map((value) => rule("metric", value));
  const ofBaselines = baselines.length < 2 ? [] : baselines.map((value) => rule("against", value));
  return [...ofMetrics, ...ofBaselines].join("");
}

import { formatDuration } from "@evenbench/core";
import {
  commandCode,
  definitionList,
  formatBytes,
  formatPercent,
  GLOSSARY,
  html,
  htmlTable,
  type Markup,
  type TableCell,
  term,
} from "@evenbench/page";
import type { Run } from "@evenbench/results";
import { targetCell } from "../cells.ts";
import type { ReportData } from "../data.ts";
import type { DifferenceMethod } from "../differences.ts";
import { isOfOwnServers } from "../notices.ts";
import { requestPricesOf } from "../prices.ts";
import { repeatCommand, shortCommand } from "../repeat.ts";
import { planEntries, type SettingGroup, settingGroups } from "../settings.ts";

/** Writes the parts of the page on settings, builds, prices, vantages, plan and machine. */
export function factsSection(data: ReportData): Markup {
  const { run } = data;
  const checked = term("preflight", "preflight");
  const lead = isOfOwnServers(run.plan)
    ? html`These servers do not name their settings: ${checked} compared their answers alone.`
    : html`Settings of the first kind ${term("must be equal", "setting that must be equal")} for a comparison
to mean anything; ${checked} checked them before anything was timed. Facts may differ: they are what is compared.`;
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
<p class="lead">${lead}</p>
${settingGroups(data).map(settingTable)}</section>
${buildsSection(data)}
${pricesSection(data)}${data.method === null ? null : data.method.describePlaces(run)}
<section aria-labelledby="plan"><h2 id="plan">Plan and machine</h2>${definitionList(planEntries(run))}</section>`;
}

/** Writes the part of the page that says how to repeat the run. */
export function repeatSection({ run }: ReportData): Markup {
  return html`<section aria-labelledby="repeat"><h2 id="repeat">How to repeat</h2>
<p class="key">In a new order: ${commandCode(shortCommand(run))}<br>
In exactly this order, with the same cases, targets and time (all samples are in <code>samples.ndjson</code> of the run's folder):</p>
<pre tabindex="0" role="region" aria-label="Command">${commandCode(repeatCommand(run))}</pre></section>`;
}

/** Writes the sizes and times of builds; null where none was recorded. */
function buildsSection(data: ReportData): Markup | null {
  const rows = data.targets.flatMap(({ name }): (readonly TableCell[])[] => {
    const record = data.run.deployables[name];
    if (record == null) {
      return [];
    }
    const { bytes, gzipBytes, limit } = record.size;
    const share = limit && `${formatPercent(record.size[limit.counts] / limit.bytes)} of ${limit.says}`;
    const sizes = [formatBytes(bytes), formatBytes(gzipBytes), share ?? "none"];
    return [[targetCell(name, data), ...sizes, formatDuration(record.ms)]];
  });
  if (rows.length === 0) {
    return null;
  }
  const head = ["Target", "Size", "Compressed", "Limit", "Build"];
  return html`<section aria-labelledby="builds"><h2 id="builds">Builds</h2><p class="lead">What each platform would be given, and what making it took. Times are of the build that made it, also where a cache brought it back.</p>
${htmlTable("Sizes and times of builds", { head, rows }, "settings")}</section>`;
}

/** Writes the prices that costs were computed with; null where there are no costs. */
function pricesSection({ prices, run, cases }: ReportData): Markup | null {
  const isCounted = run.usage.length > 0 || cases.some(({ providerCpu }) => providerCpu.length > 0);
  if (prices.length === 0 || !isCounted) {
    return null;
  }
  return html`<section aria-labelledby="prices"><h2 id="prices">Prices</h2>
<p class="lead">The cost of a million requests is that of their CPU time alone: requests, memory and traffic come on top.
Where this machine's system accounted for it, a platform's processors are others.</p>
${definitionList([...prices, ...requestPricesOf(run.plan.targets)].map(({ platform, title, stated, readOn, source }) => [platform, `${title}: ${stated}, read on ${readOn} at ${source}`]))}</section>`;
}

/** Writes the settings or the facts of one app's targets. */
function settingTable({ heading, table, equal }: SettingGroup): Markup {
  return html`<h3>${heading}</h3>${table.rows.length === 0 ? null : htmlTable(heading, table, "settings")}<p class="key">${equal}</p>`;
}

/** The meaning of a ratio, as docs/method.md says it at length. */
const RATIO_MEANING =
  "A target's time divided by the baseline's, which is the mean of the baseline and its A/A copy. 1.10× takes 10 % longer, 0.90× takes 10 % less time. What slows the machine for a round or a trial slows all targets, and falls out. So it can differ a little from one median divided by the other.";

/**
 * Writes the part of the page that explains its words, with links to the documents of the commit that
 * measured.
 *
 * @param method how the run was compared in the place of ratios; null: by ratios.
 */
export function methodSection(source: Run["source"], method: DifferenceMethod | null): Markup {
  const { vantage, edge, ...words } = GLOSSARY;
  const notes = method === null ? { ...words, Ratio: RATIO_MEANING } : { ...GLOSSARY, ...method.words };
  // Those of the commit that measured, which files that differed from it do not change.
  const page = (name: string, words: string) =>
    html`<a href="${source?.repository ?? ""}/blob/${source?.commit ?? ""}/docs/${name}">${words}</a>`;
  const links =
    source?.repository == null
      ? null
      : html`<p class="lead">Words are explained in ${page("glossary.md", "the glossary")}, and how it is measured in ${page("method.md", "the method")}.</p>`;
  return html`<section aria-labelledby="method"><h2 id="method">How to read this</h2>${links}<dl class="words">${Object.entries(notes).map(([word, meaning]) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>`)}</dl></section>`;
}

import { formatDuration } from "@evenbench/core";
import type { Run, RunMachine } from "@evenbench/results";
import type { ReportData } from "../data.ts";
import { counted, formatBytes, formatPercent, range } from "../format.ts";
import { isOfOwnServers } from "../notices.ts";
import { repeatCommand } from "../repeat.ts";
import { type Cell, htmlTable } from "../table.ts";
import { html, type Markup } from "./markup.ts";
import { type Definitions, definitionList, machineEntries } from "./pieces.ts";
import { GLOSSARY, term } from "./term.ts";
import { vantageFacts } from "./vantage-section.ts";
import { targetCell } from "./verdict-table.ts";

export function factsSection(data: ReportData): Markup {
  const { run } = data;
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2><p class="lead">${isOfOwnServers(run.plan) ? html`These servers do not name their settings: ${term("preflight", "preflight")} compared their answers alone.` : html`Settings of the first kind ${term("must be equal", "setting that must be equal")} for a comparison to mean anything; ${term("preflight", "preflight")} checked them before anything was timed. Facts may differ: they are what is compared.`}</p>
${settingGroups(data).map(settingTable)}</section>
${buildsSection(data)}
${pricesSection(data)}${vantageFacts(data)}
<section aria-labelledby="plan"><h2 id="plan">Plan and machine</h2>${definitionList(planEntries(run))}</section>`;
}

export function repeatSection({ run }: ReportData): Markup {
  return html`<section aria-labelledby="repeat"><h2 id="repeat">How to repeat</h2><p class="lead">The same cases, targets, time and random order. All samples are in <code>samples.ndjson</code> of the run's own folder.</p><pre tabindex="0" role="region" aria-label="Command"><code>${repeatCommand(run)}</code></pre></section>`;
}

function buildsSection(data: ReportData): Markup | null {
  const rows = data.targets.flatMap(({ name }): (readonly Cell[])[] => {
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

function pricesSection({ prices, run, cases }: ReportData): Markup | null {
  const isCounted = run.usage.length > 0 || cases.some(({ providerCpu }) => providerCpu.length > 0);
  if (prices.length === 0 || !isCounted) {
    return null;
  }
  return html`<section aria-labelledby="prices"><h2 id="prices">Prices</h2><p class="lead">The cost of a million requests is that of their CPU time alone: requests, memory and traffic come on top. Where this machine's system accounted for it, a platform's processors are others.</p>
${definitionList(prices.map(({ platform, title, stated, readOn, source }) => [platform, `${title}: ${stated}, read on ${readOn} at ${source}`]))}</section>`;
}

function settingTable({ heading, table, equal }: ReturnType<typeof settingGroups>[number]): Markup {
  return html`<h3>${heading}</h3>${table.rows.length === 0 ? null : htmlTable(heading, table, "settings")}<p class="key">${equal}</p>`;
}

const SETTINGS = [
  ["pins", "Settings that must be equal", "setting", "differs"],
  ["facts", "Facts", "fact", ""],
] as const;

/** For each app: only targets of one app are compared. */
export function settingGroups(data: Pick<ReportData, "run" | "targets">) {
  const { identities } = data.run;
  const identified = data.targets.filter(({ name }) => identities[name] !== undefined);
  const apps = [...Map.groupBy(identified, ({ app }) => app)];
  return SETTINGS.flatMap(([kind, title, what, className]) =>
    apps.flatMap(([app, targets]) => {
      const names = new Set(targets.flatMap(({ name }) => Object.keys(identities[name]?.[kind] ?? {})));
      if (names.size === 0) {
        return [];
      }
      const settings = [...names].sort().map((name) => {
        const values = targets.map(({ name: target, place }) => {
          const value = identities[target]?.[kind][name] ?? "–";
          return name === "region" && value !== "–" && place === "local"
            ? `none (emulated: ${value})`
            : value;
        });
        return { name, values, isEqual: new Set(values).size === 1 && values.length > 1 };
      });
      const differing = settings.filter(({ isEqual }) => !isEqual);
      const same = settings.filter(({ values, isEqual }) => isEqual && values[0] !== "–");
      const table = {
        head: [what, ...targets.map(({ name }) => targetCell(name, data))],
        rows: differing.map(({ name, values }) => [name, ...values.map((text) => ({ text, className }))]),
      };
      const list = same.map(({ name, values }) => `${name} ${values[0]}`).join("; ");
      const equal = list && `✓ ${counted(same.length, what)} equal on all: ${list}.`;
      return [{ heading: apps.length === 1 ? title : `${title}: ${app}`, table, equal }];
    }),
  );
}

/** What the command for repeating does not say. */
export function planEntries({ plan, ...run }: Run): Definitions {
  return [
    ["Run", run.id],
    ["Evenbench", run.evenbenchVersion],
    ["Started", run.startedAt],
    ["Finished", run.finishedAt ?? "–"],
    [
      "Warm-up",
      plan.warmUpExchanges === null
        ? "what each target was found to need, alone and back to back"
        : `${counted(plan.warmUpExchanges, "request")}, as asked (--warm-up)`,
    ],
    ["Trials", `${range(plan.trials)} for each case`],
    ["Bodies checked", `every measured one; of warm-ups every ${plan.digestEvery}`],
    ["Allowed to differ", plan.allowedPins.join(", ") || "nothing"],
    ...(run.machine === null ? [] : clientEntries(run.machine, run.usage.length > 0)),
  ];
}

function clientEntries(machine: RunMachine, hasUsage: boolean): Definitions {
  const { source, resolutionMs } = machine.cpuAccount;
  const account = `the operating system's account of each instance's processes, read from ${source}; a reading can be short by up to ${resolutionMs} ms`;
  return [
    ["CPU time and memory", hasUsage ? account : "not reported: no local instance"],
    ...machineEntries(machine),
    ["Client", `Node.js ${machine.clientNode}`],
  ];
}

/** What docs/method.md says at length. */
const RATIO =
  "A target's time divided by the baseline's, which is the mean of the baseline and its A/A copy. 1.10× takes 10 % longer, 0.90× takes 10 % less time. What slows the machine for a round or a trial slows all targets, and falls out. So it can differ a little from one median divided by the other.";
const DIFFERENCE =
  "A target's median time less the baseline's, in each trial; each vantage counts once, and those behind the same edges are one. Where the vantages disagree, nothing is pooled.";

export function methodSection({ source, vantages }: Pick<Run, "source" | "vantages">): Markup {
  const { vantage, edge, ...words } = GLOSSARY;
  const notes = vantages === undefined ? { ...words, Ratio: RATIO } : { ...GLOSSARY, Difference: DIFFERENCE };
  // Those of the commit that measured, which files that differed from it do not change.
  const page = (name: string, words: string) =>
    html`<a href="${source?.repository ?? ""}/blob/${source?.commit ?? ""}/docs/${name}">${words}</a>`;
  const links =
    source?.repository == null
      ? null
      : html`<p class="lead">Words are explained in ${page("glossary.md", "the glossary")}, and how it is measured in ${page("method.md", "the method")}.</p>`;
  return html`<section aria-labelledby="method"><h2 id="method">How to read this</h2>${links}<dl class="words">${Object.entries(notes).map(([word, meaning]) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>`)}</dl></section>`;
}

// What lies under a run: settings, builds and prices, machine, and how its words are meant.
import {
  type Definitions,
  definitionList,
  filledTable,
  formatBytes,
  formatDuration,
  formatPercent,
  formatUsd,
  GLOSSARY,
  html,
  htmlTable,
  type Markup,
  NOTHING,
} from "@evenbench/page";
import type { Facts, MachineFacts, Setting, TargetFacts } from "../../facts/facts.ts";
import { amount, METRICS } from "../../words/metrics.ts";
import { machineWords, trialWords } from "../../words/names.ts";
import { simulatedNotes } from "../target-tables.ts";
import { targetCell } from "./cells.ts";

const SHORT_DIGEST = 12;

/** Writes the parts of the page on settings, builds, machine and run. */
export function settingsSection(facts: Facts): Markup {
  return html`${settingTable(facts)}${buildTable(facts)}${appSection(facts)}
<section aria-labelledby="run"><h2 id="run">Run and machine</h2>${definitionList([...runEntries(facts), ...allMachineEntries(facts)])}</section>`;
}

/** Writes the settings that differ between targets as a table, and those that are equal as a list; null where none is known. */
function settingTable(facts: Facts): Markup | null {
  const { settings } = facts;
  if (settings.length === 0) {
    return null;
  }
  const isEqual = ({ byTarget }: Setting) =>
    byTarget.length > 1 && byTarget.every(({ value }) => value === byTarget[0]?.value);
  const differing = settings.filter((setting) => !isEqual(setting));
  const equal = settings.filter(isEqual).map(({ key, byTarget }) => `${key} ${byTarget[0]?.value ?? ""}`);
  const targets = facts.targets.filter(({ name }) =>
    differing.some(({ byTarget }) => byTarget.some(({ target }) => target === name)),
  );
  const table = {
    head: ["Setting", ...targets.map(({ name }) => targetCell(facts, name))],
    rows: differing.map(({ key, byTarget }) => [
      key,
      ...targets.map(({ name }) => byTarget.find(({ target }) => target === name)?.value ?? NOTHING),
    ]),
  };
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
${differing.length === 0 ? null : htmlTable("Settings that differ", table, "settings")}${equal.length === 0 ? null : html`<p class="key">Equal on all: ${equal.join("; ")}.</p>`}</section>`;
}

/** Writes what ran on each target, how large it is, and its prices; null where nothing of it is known. */
function buildTable(facts: Facts): Markup | null {
  const targets = facts.targets.filter(({ copyOf }) => copyOf === null);
  const { head, rows } = filledTable<TargetFacts>(
    targets,
    [["Platform", ({ name }) => targetCell(facts, name)]],
    [
      ["Runtime", ({ runtime }) => runtime ?? NOTHING],
      ["V8", ({ engine }) => engine ?? NOTHING],
      ["Adapter", ({ adapter }) => adapter ?? NOTHING],
      ["File", ({ artifact }) => artifact?.slice(0, SHORT_DIGEST) ?? NOTHING],
      ["Size", ({ size }) => (size === null ? NOTHING : formatBytes(size.bytes))],
      ["Compressed", ({ size }) => (size?.gzipBytes == null ? NOTHING : formatBytes(size.gzipBytes))],
      ["Limits", limitWords],
      ["$ an hour of CPU time", ({ usdPerCpuHour: usd }) => (usd === null ? NOTHING : formatUsd(usd))],
      ["$ a million requests", ({ usdPerMillion: usd }) => (usd === null ? NOTHING : formatUsd(usd))],
    ],
  );
  const table = htmlTable("Runtimes, adapters, sizes and prices", { head, rows });
  return head.length === 1
    ? null
    : html`<section aria-labelledby="builds"><h2 id="builds">What ran</h2>${table}</section>`;
}

/** Writes the limits of a target's platform, with how much of its size's limit a build takes. */
function limitWords({ limits, size }: TargetFacts): string {
  const words = limits.map(({ metric, value, source }) => {
    if (metric !== "sizeBytes" && metric !== "gzipBytes") {
      return `${METRICS[metric].short} ${amount(metric, value)}`;
    }
    const bytes = (metric === "sizeBytes" ? size?.bytes : size?.gzipBytes) ?? null;
    return bytes === null ? source : `${formatPercent(bytes / value)} of ${source}`;
  });
  return words.join(", ") || NOTHING;
}

/** Writes what was read of an own app's folder, and what no table says of its services; null where there is no such app. */
function appSection(facts: Facts): Markup | null {
  const { app, run } = facts;
  if (app === null) {
    return null;
  }
  const simulated = run.of === "app" ? [] : simulatedNotes(app.simulated);
  const read = app.read.map(({ file, applied, notApplied }) => {
    const left = notApplied.map(({ what, why }) => html`<li>${what}: ${why}</li>`);
    return html`<li><code>${file}</code>: ${applied.join(", ") || "nothing applies"}${left.length === 0 ? null : html`<ul>${left}</ul>`}</li>`;
  });
  return html`<section aria-labelledby="app"><h2 id="app">${app.folder}${app.framework === null ? null : html` <small>${app.framework}</small>`}</h2>
${read.length === 0 ? null : html`<h3>Files that were read</h3><ul>${read}</ul>`}${simulated.map((note) => html`<p class="key">${note}</p>`)}</section>`;
}

function runEntries(facts: Facts): Definitions {
  const { run } = facts;
  const counted = run.settings;
  const entries: readonly (readonly [string, string | null])[] = [
    ["Run", run.id],
    ["Evenbench", run.evenbench],
    ["Commit", run.commit],
    ["Started", run.startedAt],
    ["Took", run.tookMs === null ? null : formatDuration(run.tookMs)],
    ["Measuring", formatDuration(run.measuringMs)],
    ["Warming up", formatDuration(run.warmUpMs)],
    ["Trials", trialWords(facts)],
    ["Order", run.seed === null ? null : `--seed ${run.seed}`],
    ["Settings file", counted === null ? null : `${counted.file}: ${counted.keys.join(", ")}`],
    ["Judged", run.judgedFrom === "samples" ? "from samples" : "without samples, from interval ends"],
  ];
  return known(entries);
}

/** Leaves out what is not known. */
function known(entries: readonly (readonly [string, string | null])[]): Definitions {
  return entries.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function allMachineEntries({ run }: Facts): Definitions {
  const machines = run.machine === null ? run.parts : [{ id: null, machine: run.machine }];
  return machines.flatMap(({ id, machine }) => (machine === null ? [] : machineEntries(machine, id)));
}

/** Describes a machine. @param of the run that it measured; null where there is one run. */
export function machineEntries(machine: MachineFacts, of: string | null = null): Definitions {
  const named = (name: string) => (of === null ? name : `${name} (${of})`);
  return [
    [named("Processor"), machineWords(machine)],
    [named("Memory"), formatBytes(machine.memoryBytes)],
    [named("System"), machine.system],
    [named("Cores"), machine.coresApart ? "client and servers apart" : "shared by client and servers"],
  ];
}

/** Writes the part of the page that explains its words, with a link to the documents of the commit that measured. */
export function methodSection({ run }: Pick<Facts, "run">): Markup {
  const { vantage, edge, ...words } = GLOSSARY;
  const shown = run.from === "places" ? GLOSSARY : words;
  const base =
    run.repository === null || run.commit === null ? null : `${run.repository}/blob/${run.commit}/docs`;
  const links =
    base === null
      ? null
      : html`<p class="lead"><a href="${base}/glossary.md">Glossary</a>, <a href="${base}/method.md">method</a>, <a href="${base}/reading-a-report.md">how to read a report</a>.</p>`;
  const entries = Object.entries(shown).map(
    ([word, meaning]) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>`,
  );
  return html`${links}<dl class="words">${entries}</dl>`;
}

import { formatDuration, type Identity } from "@evenbench/core";
import type { Run, RunMachine } from "@evenbench/results";
import { BUILD_HEADS, buildRows, cellsOf } from "../builds.ts";
import type { ReportData } from "../data.ts";
import { counted, formatPercent, range } from "../format.ts";
import { repeatCommand } from "../repeat.ts";
import { isOfStrangers } from "../same-work.ts";
import { htmlTable } from "../table.ts";
import { type Definitions, definitionList, machineEntries } from "./definitions.ts";
import { html, type Markup } from "./markup.ts";
import { term } from "./term.ts";
import { vantageFacts } from "./vantage-facts.ts";
import { targetCell } from "./verdict-table.ts";

/** What was equal and what differed, the plan, the machine, and how to repeat. */
export function factsSection(data: ReportData): Markup {
  const { run } = data;
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2><p class="lead">${isOfStrangers(run.plan) ? html`These servers do not name their settings: ${term("preflight", "settings", "preflight")} compared their answers alone.` : html`Settings of the first kind ${term("must be equal", "settings", "setting that must be equal")} for a comparison to mean anything; ${term("preflight", "settings", "preflight")} checked them before anything was timed. Facts may differ: they are what is compared.`}</p>
${settingsTables("Settings that must be equal", "pins", data)}${settingsTables("Facts", "facts", data)}</section>
${buildsSection(data)}
${pricesSection(data)}${vantageFacts(data)}
<section aria-labelledby="plan"><h2 id="plan">Plan and machine</h2>${definitionList(planEntries(run))}</section>`;
}

/** The command that measures the same again. */
export function repeatSection({ run }: ReportData): Markup {
  return html`<section aria-labelledby="repeat"><h2 id="repeat">How to repeat</h2><p class="lead">The same cases, targets, time and random order. All samples are in <code>samples.ndjson</code> of the run's own folder.</p><pre tabindex="0" role="region" aria-label="Command"><code>${repeatCommand(run)}</code></pre></section>`;
}

/** Sizes and build times: from the build that made each deployable, also where a cache brought it back. */
function buildsSection(data: ReportData): Markup | null {
  const rows = buildRows(data);
  if (rows.length === 0) return null;
  return html`<section aria-labelledby="builds"><h2 id="builds">Builds</h2><p class="lead">What each platform would be given, and what making it took. Times are of the build that made it, also where a cache brought it back.</p>
${htmlTable("Sizes and times of builds", { head: ["Target", ...BUILD_HEADS], rows: rows.map((row) => [targetCell(row.target, data), ...cellsOf(row)]) }, "settings")}</section>`;
}

/** Where the cost of CPU time comes from. */
function pricesSection({ prices, run, cases }: ReportData): Markup | null {
  const isCounted = run.usage.length > 0 || cases.some(({ providerCpu }) => providerCpu.length > 0);
  if (prices.length === 0 || !isCounted) return null;
  return html`<section aria-labelledby="prices"><h2 id="prices">Prices</h2><p class="lead">The cost of 1,000 requests is that of their CPU time alone: requests, memory and traffic come on top. Where this machine's system accounted for it, a platform's processors are others.</p>
${definitionList(prices.map(({ platform, title, stated, readOn, source }) => [platform, `${title}: ${stated}, read on ${readOn} at ${source}`]))}</section>`;
}

type Identities = readonly (readonly [target: string, identity: Identity])[];

/** One for each app: only targets of one app are compared. */
function settingsTables(title: string, kind: "pins" | "facts", data: ReportData): readonly (Markup | null)[] {
  const order = data.targets.map(({ name }) => name);
  const identities = Object.entries(data.run.identities).sort(
    ([a], [b]) => order.indexOf(a) - order.indexOf(b),
  );
  const apps = [...Map.groupBy(identities, ([, { app }]) => app)];
  return apps.map(([app, own]) =>
    settingsTable(apps.length === 1 ? title : `${title} of ${app}`, kind, own, data),
  );
}

function settingsTable(
  title: string,
  kind: "pins" | "facts",
  identities: Identities,
  data: ReportData,
): Markup | null {
  const names = [...new Set(identities.flatMap(([, identity]) => Object.keys(identity[kind])))].sort();
  if (names.length === 0) return null;
  const isLocal = (target: string) =>
    data.targets.some((one) => one.name === target && one.place === "local");
  const settingOf = (target: string, name: string) => {
    const value = data.run.identities[target]?.[kind][name] ?? "–";
    return name === "region" && value !== "–" && isLocal(target) ? `none (emulated: ${value})` : value;
  };
  const columns = identities.map(([target]) => target);
  const told = names.map((name) => ({ name, values: columns.map((target) => settingOf(target, name)) }));
  const isEqual = ({ values }: (typeof told)[number]) => new Set(values).size === 1 && columns.length > 1;
  const equal = told.filter(isEqual).filter(({ values }) => values[0] !== "–");
  const differing = told.filter((one) => !isEqual(one));
  const table = {
    head: [kind === "pins" ? "Setting" : "Fact", ...columns.map((target) => targetCell(target, data))],
    rows: differing.map(({ name, values }) => [
      name,
      ...values.map((text) => ({ text, ...(kind === "pins" && { className: "differs" }) })),
    ]),
  };
  return html`<h3>${title}</h3>${differing.length === 0 ? null : htmlTable(title, table, "settings")}${
    equal.length === 0
      ? null
      : html`<p class="key"><strong>✓ ${counted(equal.length, kind === "pins" ? "setting" : "fact")} equal on all:</strong> ${equal.map(({ name, values }) => `${name} ${values[0]}`).join("; ")}.</p>`
  }`;
}

/** The source of CPU time and memory, and how fine it is. */
function accountOf({ cpuAccount }: RunMachine): string {
  const what = "the operating system's account of each instance's processes";
  return `${what}, read from ${cpuAccount.source}; a reading can be short by up to ${cpuAccount.resolutionMs} ms`;
}

function planEntries({ plan, ...run }: Run): Definitions {
  const total = Object.values(plan.caseBudgetMs).reduce((sum, ms) => sum + ms, 0);
  return [
    ["Run", run.id],
    ["Evenbench", run.evenbenchVersion],
    ["Started", run.startedAt],
    ["Finished", run.finishedAt ?? "–"],
    ["Seed", String(plan.seed)],
    [
      "Budget",
      total === 0
        ? "no time was asked for (--time, --total)"
        : `${formatDuration(total)} for ${counted(plan.cases.length, "case")}`,
    ],
    [
      "Warm-up",
      plan.warmUpExchanges === null
        ? "what each target was found to need, alone and back to back"
        : `${counted(plan.warmUpExchanges, "request")}, as asked (--warm-up)`,
    ],
    ["Spacing", `${counted(plan.spacing, "request")} of a target in a row`],
    ["Pause before each request", plan.pauseMs === 0 ? "none" : formatDuration(plan.pauseMs)],
    ["Worker processes", `${plan.workers}, of platforms that have them`],
    ["Trials", `${range(plan.trials)} for each case`],
    ["Rounds", plan.roundsPerTrial === null ? "as time allowed" : `${plan.roundsPerTrial} for each trial`],
    ["Cold starts", plan.coldStarts === 0 ? "not asked for (--cold)" : `${plan.coldStarts} of each target`],
    [
      "Precision asked for",
      plan.precision === null ? "none: cases end when they are decided" : formatPercent(plan.precision),
    ],
    ["Bodies checked", `length always, digest every ${plan.digestEvery}`],
    ["Allowed to differ", plan.allowedPins.join(", ") || "nothing"],
    ...(run.machine === null ? [] : clientEntries(run.machine, run.usage.length > 0)),
  ];
}

function clientEntries(machine: RunMachine, hasUsage: boolean): Definitions {
  return [
    ["CPU time and memory", hasUsage ? accountOf(machine) : "not reported: no local instance"],
    ...machineEntries(machine),
    ["Client", `Node.js ${machine.clientNode}`],
  ];
}

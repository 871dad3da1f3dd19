import {
  colourMark,
  coresOf,
  formatCount,
  formatPercent,
  html,
  htmlDocument,
  type Markup,
  machineLine,
  platformColours,
} from "@evenbench/report/parts";
import type { Owner, ProfileRecord, TargetRecord } from "@evenbench/results";
import { type Flame, pruneFlame } from "../flame.ts";
import type { TargetProfile } from "../profile-target.ts";
import { colourClasses } from "./colours.ts";
import { flameList } from "./flame-list.ts";
import { FLAME_SCRIPT, FLAME_STYLE } from "./flame-style.ts";
import { comparedRows } from "./rows.ts";
import { describeTarget } from "./terminal.ts";

/** A page that is slow to open on a phone is of no use there. */
const MOST_BYTES = 1_000_000;

/** Calls below this share are left out of the flame graphs; more where the page would be too large. */
const LEAST_SHARES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05] as const;

/** The profile as one HTML file that needs nothing else, of at most 1 MB. */
export function renderProfilePage(record: ProfileRecord, profiles: readonly TargetProfile[]): string {
  let page = "";
  for (const leastShare of LEAST_SHARES) {
    const flames = profiles.map(({ calls }) => pruneFlame(calls, leastShare));
    page = pageWith(record, flames);
    if (Buffer.byteLength(page) <= MOST_BYTES) break;
  }
  return page;
}

function pageWith(record: ProfileRecord, flames: readonly Flame[]): string {
  const { caseId, targets, startedAt, evenbenchVersion, events } = record;
  const classOf = colourClasses(targets);
  const markOf = marksOf(targets);
  const body = html`<a class="skip" href="#content">To the profile</a>
<header><h1><strong>Evenbench</strong> · profile of ${caseId} · ${startedAt.slice(0, 16).replace("T", " ")} UTC</h1>
${targets.map((target) => html`<p class="answer">${markOf(target.target)}: ${answer(target)}</p>`)}
${events.map(({ detail }) => html`<p class="key">${detail}</p>`)}</header>
<main id="content">
<h2 id="packages">Self time by package</h2><p class="lead">The share of samples with a function of the package on top of the stack: its own work, without what it calls. Idle samples do not count.</p>
${sharesTable(targets, classOf, markOf)}
<p class="key">The garbage collector's share: ${record.collectorCounted}. Times under a profiler are longer than without one: shares show where time goes, not how long a request takes.</p>
${targets.map((target, index) => targetSection(target, flames[index], classOf))}
${factsSection(record)}
</main>
<footer>Evenbench ${evenbenchVersion}. This page is one file and loads nothing. The .cpuprofile files beside it open in Chrome DevTools, Performance, "Load profile".</footer>`;
  return htmlDocument(`Evenbench profile of ${caseId}`, body, FLAME_STYLE, { script: FLAME_SCRIPT });
}

/** Each target beside the colour that its platform has on all pages. */
function marksOf(targets: readonly TargetRecord[]): (target: string) => Markup {
  const placed = targets.map(({ target, identity: { platform } }) => ({
    name: target,
    platform,
    copyOf: null,
  }));
  const colours = platformColours(placed);
  return (target) => colourMark(target, colours.get(target) ?? 0);
}

/** The largest three, and the collector. */
function answer({ rows, collectorShare }: TargetRecord): string {
  const largest = rows.filter(({ kind }) => kind !== "collector" && kind !== "idle").slice(0, 3);
  const listed = largest.map(({ name, share }) => `${name} ${formatPercent(share ?? 0)}`).join(", ");
  return `${listed}; garbage collector ${formatPercent(collectorShare)}.`;
}

function sharesTable(
  targets: readonly TargetRecord[],
  classOf: (owner: Owner) => string,
  markOf: (target: string) => Markup,
): Markup {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Self time by package"><table class="shares"><thead><tr><th scope="col">Package</th>${targets.map(({ target }) => html`<th scope="col">${markOf(target)}</th>`)}</tr></thead><tbody>${comparedRows(
    targets,
  ).map(
    (row) =>
      html`<tr class="${classOf(row)}"><th scope="row"><span class="swatch" aria-hidden="true"></span>${row.name}</th>${row.shares.map(shareCell)}</tr>`,
  )}</tbody></table></div>`;
}

function shareCell(share: number | null): Markup {
  if (share === null) return html`<td class="share">–</td>`;
  return html`<td class="share"><span class="bar" aria-hidden="true"><span style="width:${(100 * share).toFixed(1)}%"></span></span>${formatPercent(share)}</td>`;
}

function targetSection(
  target: TargetRecord,
  flame: Flame | undefined,
  classOf: (owner: Owner) => string,
): Markup {
  const id = `target-${target.target}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${target.target}</h2><p class="lead">${describeTarget(target)}</p>
${flame === undefined ? null : html`${flameList(flame, `Calls of ${target.target}, widest first`, classOf)}<p class="key">The widest box is all work; below each call stand its callees. ${leftOut(flame)}</p>`}
<details><summary>Functions with the most self time</summary><div class="scroll" role="region" tabindex="0" aria-label="Functions of ${target.target}"><table><thead><tr><th scope="col">Function</th><th scope="col">Package</th><th scope="col">Self time</th><th scope="col">Place</th></tr></thead><tbody>${target.functions.map(
    ({ functionName, owner, share, place }) =>
      html`<tr><th scope="row">${functionName || "(anonymous)"}</th><td>${owner}</td><td class="number">${formatPercent(share)}</td><td>${place}</td></tr>`,
  )}</tbody></table></div></details></section>`;
}

function leftOut({ leftOut: count, leastShare }: Flame): string {
  if (count === 0) return "Nothing is left out.";
  return `${formatCount(count)} calls with less than ${formatPercent(leastShare)} of the samples each, or very deep ones, are left out.`;
}

function factsSection({ targets, machine }: ProfileRecord): Markup {
  const names = [...new Set(targets.flatMap(({ identity }) => Object.keys(identity.facts)))].sort();
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2><div class="scroll" role="region" tabindex="0" aria-label="Facts of the targets"><table class="settings"><thead><tr><th scope="col">Fact</th>${targets.map(({ target }) => html`<th scope="col">${target}</th>`)}</tr></thead><tbody>${names.map(
    (name) =>
      html`<tr><th scope="row">${name}</th>${targets.map(({ identity }) => html`<td>${identity.facts[name] ?? "–"}</td>`)}</tr>`,
  )}</tbody></table></div><p class="key">${machineLine(machine)}; cores ${coresOf(machine)}.</p></section>`;
}

import { colourMark, counted, html, htmlTable, type Markup, type TableCell } from "@evenbench/page";
import type { Change, Facts, MachineFacts } from "../facts/facts.ts";
import { columnsOf, mainChanges, ofColumn } from "../words/columns.ts";
import { isDecided } from "../words/mark.ts";
import { dayOf, machineWords } from "../words/names.ts";
import { cell } from "../words/notation.ts";

/** What one other machine found, wherever its facts come from. */
interface OtherMachine {
  readonly facts: Facts;
  readonly machine: MachineFacts;
  /** True where its owner sent the facts: there is no report of it. */
  readonly isContributed: boolean;
}

/** Tells machines apart by what a reader sees. Memory tells nothing: it may have some pages more after the next start. */
function machineKeyOf({ processor, cores }: MachineFacts): string {
  const name = processor.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();
  return JSON.stringify([name, cores]);
}

/** Lists each other machine once, by the newest of what it found: the gallery's own runs before contributed ones. */
function othersOf(
  main: MachineFacts,
  standings: readonly Facts[],
  contributed: readonly Facts[],
): readonly OtherMachine[] {
  const all = [
    ...standings.map((facts) => ({ facts, isContributed: false })),
    ...contributed.map((facts) => ({ facts, isContributed: true })),
  ];
  const byKey = new Map<string, OtherMachine>();
  for (const { facts, isContributed } of all) {
    const { machine, from, of } = facts.run;
    if (machine === null || from !== "local" || of !== "cases") {
      continue;
    }
    const key = machineKeyOf(machine);
    if (key !== machineKeyOf(main) && !byKey.has(key)) {
      byKey.set(key, { facts, machine, isContributed });
    }
  }
  return [...byKey.values()];
}

/**
 * Says how many other machines agree with the one of the newest run, in a row for each case and platform; null where it is
 * the only machine.
 *
 * @param standings what stands now at each place, that of the newest run first.
 * @param contributed the facts that others sent, the newest first.
 */
export function agreementSection(
  [main, ...standings]: readonly Facts[],
  contributed: readonly Facts[],
): Markup | null {
  if (main === undefined || main.run.machine === null || main.run.of !== "cases") {
    return null;
  }
  const others = othersOf(main.run.machine, standings, contributed);
  if (others.length === 0) {
    return null;
  }
  const changes = mainChanges(main);
  const rows = main.cases.flatMap(({ id, title }) =>
    columnsOf(main).flatMap((column): readonly (readonly TableCell[])[] => {
      const change = ofColumn(column, changes).find((each) => each.case === id);
      if (change === undefined || !isDecided(change)) {
        return [];
      }
      const platform = { text: column.spoken, html: colourMark(column.spoken, column.colour) };
      return [[title, platform, cell(change), agreementWords(change, others)]];
    }),
  );
  const head = ["Case", "Platform", "Here", "Other machines that agree"];
  const list = others.map(
    ({ facts, machine, isContributed }) =>
      html`<li>${machineWords(machine)}, ${dayOf(facts)} <small>run ${facts.run.id}${isContributed ? ", contributed" : null}</small></li>`,
  );
  return html`<section aria-labelledby="elsewhere"><h2 id="elsewhere">Does it hold elsewhere?</h2>
<p class="lead">${counted(others.length, "other machine")}. One agrees where it gives the same verdict; what it left open neither agrees nor disagrees. Contributed numbers are what their owners sent, judged again without samples.</p>
${rows.length === 0 ? html`<p>No comparison here is decided.</p>` : htmlTable("Agreement of machines", { head, rows })}
<ul class="changes">${list}</ul></section>`;
}

/** Says how many of the machines that judged the same comparison give the same verdict. */
function agreementWords(change: Change, others: readonly OtherMachine[]): string {
  const verdicts = others.flatMap(({ facts }) => {
    const found = mainChanges(facts).find(
      (other) => other.case === change.case && other.target === change.target,
    );
    return found === undefined || found.verdict === "none" ? [] : [found.verdict];
  });
  const agreeing = verdicts.filter((verdict) => verdict === change.verdict).length;
  const open = verdicts.filter((verdict) => verdict === "unclear").length;
  const otherwise = verdicts.length - agreeing - open;
  const words = [
    verdicts.length === 0 ? "not measured there" : `${agreeing} of ${verdicts.length}`,
    ...(open === 0 ? [] : [`${open} open`]),
    ...(otherwise === 0 ? [] : [`${otherwise} found otherwise`]),
  ];
  return words.join(", ");
}

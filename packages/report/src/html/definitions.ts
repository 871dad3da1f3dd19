import type { RunMachine } from "@evenbench/results";
import { coresOf, processorOf } from "../machine-words.ts";
import { html, type Markup } from "./markup.ts";

export type Definitions = readonly (readonly [name: string, value: string])[];

/** Names and what they stand for, one below another. */
export function definitionList(entries: Definitions): Markup {
  return html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** What every page says of the machine that measured. */
export function machineEntries(machine: RunMachine): Definitions {
  return [
    ["System", machine.system],
    ["Processor", processorOf(machine)],
    ["Memory", `${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB`],
    ["Cores", coresOf(machine)],
  ];
}

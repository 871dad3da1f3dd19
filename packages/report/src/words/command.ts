// Commands that measure something of a run again: the words that the run was typed with, with some options replaced.
import { formatDuration, shellWord } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { counted } from "@evenbench/page";
import type { CaseFacts, NextStep, RunFacts, TargetFacts } from "../facts/facts.ts";
import { caseNoun } from "./columns.ts";

/** The command for cases of the repository: they are measured in a clone, wherever a text is made. */
const IN_A_CLONE = "npm run bench --";

/** The part of facts that commands are made of. */
interface Commanded {
  readonly run: Pick<RunFacts, "command">;
  readonly cases: readonly Pick<CaseFacts, "id" | "path" | "app">[];
  readonly targets: readonly Pick<TargetFacts, "name" | "app">[];
}

/** What a command has in the place of the run's own words. */
export interface CommandChange {
  /** Ids of the cases that it measures; empty for all that the run had. */
  readonly cases: readonly string[];
  /** Values by the long names of options, without dashes: { trials: "20" }. */
  readonly options: NextStep["options"];
}

const AS_IT_WAS: CommandChange = { cases: [], options: {} };

/**
 * Writes the command that measures a run again; null where none was recorded. Values that may be secrets are for the reader
 * to fill in, and paths of files are from the folder where it was typed.
 *
 * @param change what it has in the place of the run's own words. Default: nothing.
 */
export function commandOf(facts: Commanded, change: CommandChange = AS_IT_WAS): string | null {
  const { command } = facts.run;
  if (command === null) {
    return null;
  }
  const program = facts.cases.some(({ path }) => path === null) ? IN_A_CLONE : EVENBENCH;
  const words = changedWords(facts, command, change).map(shellWord);
  return [program, ...words].join(" ").replace(/ --$/, "");
}

interface RecordedOption {
  /** Its long name without dashes, such as "trials". */
  readonly name: string;
  /** Its value; null for a switch. */
  readonly value: string | null;
}

/** The words of a recorded command: those that are no options stand first. */
interface RecordedCommand {
  readonly first: readonly string[];
  readonly options: readonly RecordedOption[];
}

/** Takes a recorded command apart. Each option has its long name and one value at most, and no other word begins with "-". */
function readCommand(words: readonly string[]): RecordedCommand {
  const begun = words.findIndex((word) => word.startsWith("-"));
  const first = begun === -1 ? words : words.slice(0, begun);
  const options: RecordedOption[] = [];
  for (const word of words.slice(first.length)) {
    if (word.startsWith("-")) {
      const [, name = "", value = null] = /^-+([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
      options.push({ name, value });
    } else {
      const { name } = options.pop() ?? { name: "" };
      options.push({ name, value: word });
    }
  }
  return { first, options };
}

function changedWords(
  facts: Commanded,
  command: readonly string[],
  change: CommandChange,
): readonly string[] {
  const { first, options } = readCommand(command);
  const replaced = replacements(facts, change);
  const names = new Set(replaced.map(({ name }) => name));
  const kept = options.filter((option) => !names.has(option.name));
  const fitting = kept.flatMap((option) => fittingOption(facts, option, change));
  return [...first, ...[...replaced, ...fitting].flatMap(wordsOf)];
}

/** Gives the options that a change has in the place of the run's. */
function replacements({ cases }: Commanded, change: CommandChange): readonly RecordedOption[] {
  const chosen = cases.filter(({ id }) => change.cases.includes(id));
  const ids = chosen.flatMap(({ id, path }) => (path === null ? [id] : []));
  // A path that a settings file asks in several ways is typed once.
  const paths = [...new Set(chosen.flatMap(({ path }) => path ?? []))];
  return [
    ...(ids.length === 0 ? [] : [{ name: "case", value: ids.join(",") }]),
    ...paths.map((path) => ({ name: "path", value: path })),
    ...Object.entries(change.options).map(([name, value]) => ({ name, value })),
  ];
}

/** Takes those names out of an option that serve none of a change's cases: a command is refused with them. */
function fittingOption(
  { cases, targets }: Commanded,
  option: RecordedOption,
  change: CommandChange,
): readonly RecordedOption[] {
  const isOfTargets = option.name === "target" || option.name === "baseline";
  const chosen = cases.filter(({ id, path }) => path === null && change.cases.includes(id));
  if (!isOfTargets || option.value === null || chosen.length === 0) {
    return [option];
  }
  const isServing = (word: string) => {
    const [name] = word.split("=");
    const target = targets.find((each) => each.name === name);
    return target === undefined || chosen.some(({ app }) => app === target.app);
  };
  const value = option.value.split(",").filter(isServing).join(",");
  return value === "" ? [] : [{ ...option, value }];
}

function wordsOf({ name, value }: RecordedOption): readonly string[] {
  if (value === null) {
    return [`--${name}`];
  }
  return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
}

/** Says what a step is for: "To decide the 8 that are unclear by time, probably (about 48 min)". */
export function stepWords(facts: Pick<Commanded, "cases">, step: NextStep): string {
  const { why, cases, aboutMs, open, decides } = step;
  const time = aboutMs === null ? "" : ` (about ${formatDuration(roundedMs(aboutMs))})`;
  if (why !== "more-trials") {
    return `To have enough warm trials in ${counted(cases.length, caseNoun(facts))}${time}`;
  }
  const ones = `${open} that ${open === 1 ? "is" : "are"} unclear by time`;
  if (decides === 0) {
    return `To narrow the ${ones}${time}`;
  }
  return decides < open
    ? `To decide ${decides} of the ${ones}, probably${time}`
    : `To decide the ${ones}, probably${time}`;
}

const MINUTE_MS = 60_000;

function roundedMs(ms: number): number {
  return ms < MINUTE_MS ? ms : Math.round(ms / MINUTE_MS) * MINUTE_MS;
}

// Takes the words of a command line apart, as commander does, without a declared command: reports change commands that
// were typed elsewhere.

/** How many words an option takes behind its name. "optional": one, unless that begins with "-". */
export type OptionArity = "none" | "one" | "optional" | "many";

/** An option as it may be typed. */
export interface OptionForm {
  /** "--case". */
  readonly long: string;
  /** "-c"; null where it has none. */
  readonly short: string | null;
  readonly arity: OptionArity;
}

/** A part of a command line: an option with its values, or words of their own, such as the command. */
export interface CommandPart {
  /** The option; null for words of their own, and for an option that is not known. */
  readonly option: OptionForm | null;
  /** Values of the option; the words themselves where there is none. */
  readonly values: readonly string[];
  /** The words as they were typed. */
  readonly typed: readonly string[];
}

/** Reads the form of an option from its flags as commander takes them, such as "-c, --case <id...>". */
export function optionForm(flags: string): OptionForm {
  const names = flags.split(/[ ,|]+/).filter((word) => word.startsWith("-"));
  const long = names.find((name) => name.startsWith("--")) ?? "";
  const short = names.find((name) => !name.startsWith("--")) ?? null;
  return { long, short, arity: arityOf(flags) };
}

function arityOf(flags: string): OptionArity {
  if (flags.includes("...")) {
    return "many";
  }
  if (flags.includes("<")) {
    return "one";
  }
  return flags.includes("[") ? "optional" : "none";
}

/**
 * Takes words apart by the options that a command has. Joined, the parts' typed words are the words again. Short
 * switches may not be joined: no command has two.
 */
export function partsOfCommand(
  words: readonly string[],
  options: readonly OptionForm[],
): readonly CommandPart[] {
  const parts: CommandPart[] = [];
  let index = 0;
  while (index < words.length) {
    const part = firstPart(words.slice(index), options);
    parts.push(part);
    index += part.typed.length;
  }
  return parts;
}

function firstPart(rest: readonly string[], options: readonly OptionForm[]): CommandPart {
  const [word = ""] = rest;
  // No option stands behind it.
  if (word === "--") {
    return { option: null, values: rest, typed: rest };
  }
  const option = options.find(({ long, short }) => word === long || word === short);
  if (option !== undefined) {
    const values = rest.slice(1, 1 + countValues(rest.slice(1), option.arity));
    return { option, values, typed: [word, ...values] };
  }
  return withAttachedValue(word, options) ?? { option: null, values: [word], typed: [word] };
}

/** Counts the words behind an option's name that are its values. */
function countValues(rest: readonly string[], arity: OptionArity): number {
  const [first] = rest;
  if (first === undefined || arity === "none") {
    return 0;
  }
  if (arity === "optional") {
    return isOption(first) ? 0 : 1;
  }
  if (arity === "one") {
    return 1;
  }
  // The first value is taken whatever it begins with.
  const more = rest.slice(1).findIndex(isOption);
  return more === -1 ? rest.length : 1 + more;
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith("-") && !/^-(?:\d+|\d*\.\d+)(?:e[+-]?\d+)?$/i.test(word);
}

/** Reads "--case=a" and "-ca"; null for any other word. */
function withAttachedValue(word: string, options: readonly OptionForm[]): CommandPart | null {
  const [, long, longValue] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const [, short, shortValue] = /^(-[^-])(.+)$/s.exec(word) ?? [];
  const takes = options.filter(({ arity }) => arity !== "none");
  const ofLong = takes.find((option) => option.long === long);
  if (ofLong !== undefined && longValue !== undefined) {
    return { option: ofLong, values: [longValue], typed: [word] };
  }
  const ofShort = takes.find((option) => option.short === short && option.arity !== "optional");
  if (ofShort !== undefined && shortValue !== undefined) {
    return { option: ofShort, values: [shortValue], typed: [word] };
  }
  return null;
}

/** Gives the words of an option with its values. "=" joins a value that begins with "-", which else would be an option. */
export function optionWords(long: string, values: readonly string[]): readonly string[] {
  return values.flatMap((value) => (value.startsWith("-") ? [`${long}=${value}`] : [long, value]));
}

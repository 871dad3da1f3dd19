import type { Command, Option } from "commander";

/** Where in a command line a word stands. */
export interface Place {
  /** As far as it is written. */
  readonly current: string;
  /** The one named, else the default one. */
  readonly command: Command;
  /** Whether a command was named. */
  readonly isNamed: boolean;
  /**
   * Whether the word cannot be that of a command: one was named that has none of its own, or an operand
   * stands where it could be.
   */
  readonly isChosen: boolean;
  /** How many operands stand before it. */
  readonly operands: number;
  /** Of which option it is a value; null for none. */
  readonly option: Option | null;
  /** What of the word comes before the value: "--case=" and "a," of "--case=a,b". */
  readonly before: string;
}

/** The place of the last of some words. */
export function placeOf(program: Command, words: readonly string[]): Place {
  // bash makes three words of "--time=60s".
  const earlier = words.slice(0, -1).filter((word) => word !== "=");
  const last = words.at(-1) ?? "";
  const current = last === "=" ? "" : last;
  let named: Command | undefined;
  let open: Option | null = null;
  let operands = 0;
  const command = () => named ?? defaultOf(program);
  for (const word of earlier) {
    if (word.startsWith("-")) open = word.includes("=") ? null : takerOf(word, command(), program);
    else if (open !== null) open = open.variadic ? open : null;
    else {
      const next = operands === 0 ? find(named ?? program, word) : undefined;
      if (next === undefined) operands += 1;
      else named = next;
    }
  }
  const [, flag = ""] = /^(--[^=]+)=/.exec(current) ?? [];
  const option = flag === "" ? (current.startsWith("-") ? null : open) : takerOf(flag, command(), program);
  const assigned = flag === "" ? "" : `${flag}=`;
  const list = option?.variadic ? current.slice(assigned.length, current.lastIndexOf(",") + 1) : "";
  return {
    current,
    command: command(),
    isNamed: named !== undefined,
    isChosen: operands > 0 || (named !== undefined && named.commands.length === 0),
    operands,
    option,
    before: `${assigned}${list}`,
  };
}

function find({ commands }: Command, word: string): Command | undefined {
  return commands.find((command) => [command.name(), ...command.aliases()].includes(word));
}

/** What is meant where no command is named. */
function defaultOf(program: Command): Command {
  return find(program, "run") ?? program;
}

/** The option that a flag is, when it takes a value. */
function takerOf(flag: string, command: Command, program: Command): Option | null {
  const option = [...command.options, ...program.options].find(
    ({ short, long }) => short === flag || long === flag,
  );
  return option?.required || option?.optional ? option : null;
}

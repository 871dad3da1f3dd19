// What an advice may name: options of the command that runs, and no others.

/** Long names of its options; null where a program has called it: then all are there. */
let options: readonly string[] | null = null;

/** Keeps the options of the command that begins. @param names long names, such as "--time"; null where none begins. */
export function keepOptions(names: readonly string[] | null): void {
  options = names;
}

/** Gives the part of an advice that names an option; "" where the command that runs lacks that. */
export function advising(option: string, words: string): string {
  return options === null || options.includes(option) ? words : "";
}

import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { type CommandPart, optionForm, optionWords, partsOfCommand } from "@evenbench/core/command-words";
import { recordedFile } from "./asked.ts";
import { recordedHeader, recordedPath } from "./own-servers.ts";

/** Options of where results go, and of what was built before: the same is measured without them. */
const LEFT_OUT = ["--out", "--json", "--no-build"];
/** Options whose values are paths of files or folders. */
const OF_FILES = ["--own-app", "--body", "--env-file", "--node", "--out"];

/** Gives words of a command as records have them: without secrets, and without absolute paths, which may name a user. */
export function recordedWords(words: readonly string[], command: CommandUnknownOpts): readonly string[] {
  const needed = command.options.filter(({ mandatory }) => mandatory).map(({ long }) => long);
  const isLeftOut = ({ option }: CommandPart) =>
    option !== null && LEFT_OUT.includes(option.long) && !needed.includes(option.long);
  const options = command.options.map(({ flags }) => optionForm(flags));
  const paths: string[] = [];
  return partsOfCommand(words, options)
    .filter((part) => !isLeftOut(part))
    .flatMap((part) => {
      const values = part.values.map((value) => recordedValue(part.option?.long ?? null, value, paths));
      const isAsTyped = values.every((value, index) => value === part.values[index]);
      if (isAsTyped) {
        return part.typed;
      }
      return part.option === null ? values : optionWords(part.option.long, values);
    });
}

/**
 * Gives a value as records have it.
 *
 * @param option long name of its option; null for a word of its own.
 * @param paths recorded values of `--path` so far; another one is added.
 */
function recordedValue(option: string | null, value: string, paths: string[]): string {
  if (option === "--path") {
    const path = recordedPath(value, paths);
    paths.push(path);
    return path;
  }
  if (option === "--header") {
    return recordedHeader(value);
  }
  return option === null || OF_FILES.includes(option) ? recordedFile(value) : value;
}

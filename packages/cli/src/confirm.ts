import { confirm, isCancel } from "@clack/prompts";
import { UsageError } from "./nearest.ts";
import { say } from "./say.ts";

/**
 * Shows what is about to happen and asks; with `yes`, only shows.
 *
 * @throws {UsageError} when there is nobody to ask.
 */
export async function confirmLines(
  question: string,
  lines: readonly string[],
  yes: boolean,
): Promise<boolean> {
  for (const line of lines) say(`  ${line}`);
  if (yes) return true;
  if (!process.stdin.isTTY) {
    throw new UsageError(
      "Nothing was done: there is no terminal to ask in. Say --yes if the list above is meant.",
    );
  }
  const answer = await confirm({ message: question, initialValue: false });
  return !isCancel(answer) && answer;
}

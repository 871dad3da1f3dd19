import type { Command } from "commander";
import type { Exit } from "../exit.ts";

/**
 * `evenbench complete -- <words>`: what these scripts ask. The last word is the one that is being written; it
 * may be empty.
 */
export default function addCompleteCommand(program: Command, _exit: Exit): void {
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: readonly string[]) => {
      const { completeCommand } = await import("../actions/complete.ts");
      await completeCommand(program, words);
    });
}

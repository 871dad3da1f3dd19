import { Argument, type Command } from "commander";
import type { Exit } from "../exit.ts";

/** `evenbench completion`: a script that lets a shell complete this command line. */
export default function addCompletionCommand(program: Command, _exit: Exit): void {
  program
    .command("completion")
    .helpGroup("Develop:")
    .description("print a script by which a shell completes commands, options and names")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .action(async (shell: string) => {
      const { completionCommand } = await import("../actions/completion.ts");
      await completionCommand(shell);
    });
}

import { destroyDeployments, toolRunner } from "@evenbench/deploy";
import { discoverPlatforms } from "@evenbench/host";
import type { Command } from "commander";
import { confirmLines } from "../confirm.ts";
import { type DeploymentsOption, withDeployments } from "../deployments-option.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { untilInterrupted } from "../interrupt.ts";
import { pick } from "../nearest.ts";
import { collect } from "../quantity.ts";

interface DestroyCommandOptions extends DeploymentsOption {
  readonly app?: readonly string[];
  readonly yes?: boolean;
}

/** `evenbench destroy`: removes from the platforms what was deployed. */
export default function destroy(program: Command, exit: Exit): void {
  const command = program
    .command("destroy")
    .description("remove what was deployed")
    .argument("[platform]", "only from this platform", "all")
    .option("-a, --app <id...>", "only an app", collect)
    .option("-y, --yes", "do not ask");
  withDeployments(command).action(async (platform: string, options: DestroyCommandOptions) => {
    const platforms = await discoverPlatforms();
    if (platform !== "all") pick("platform", [platform], [...platforms.map(({ id }) => id), "all"]);
    const next = "What is not removed yet is still noted. Repeat the command to finish.";
    await untilInterrupted(exit, next, async (signal) => {
      const gone = await destroyDeployments({
        file: options.deployments,
        platforms,
        isMeant: (one) =>
          (platform === "all" || one.platform === platform) && (options.app ?? [one.app]).includes(one.app),
        run: toolRunner(signal),
        confirm: (lines) => {
          console.log("This will be removed, with everything in it:");
          return confirmLines("Remove?", lines, options.yes ?? false);
        },
        onProgress: (line) => console.error(line),
      });
      if (gone === null) exit.code = ExitCode.failed;
      if (gone === null || gone.length === 0) console.log("Nothing was removed.");
    });
  });
}

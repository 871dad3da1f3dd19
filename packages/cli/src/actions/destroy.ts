import { existsSync } from "node:fs";
import { destroyDeployments, toolRunner } from "@evenbench/deploy";
import { discoverPlatforms } from "@evenbench/host";
import { confirmLines } from "../confirm.ts";
import { DEPLOYMENTS_FILE, type DeploymentsOption } from "../deployments-option.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { untilInterrupted } from "../interrupt.ts";
import { sayLeftOut } from "../left-out.ts";
import { pick } from "../nearest.ts";
import { say, sayAside } from "../say.ts";

export interface DestroyCommandOptions extends DeploymentsOption {
  readonly app?: readonly string[];
  readonly yes?: boolean;
}

export async function destroyCommand(
  platform: string,
  options: DestroyCommandOptions,
  exit: Exit,
): Promise<void> {
  const platforms = await discoverPlatforms(undefined, sayLeftOut);
  if (platform !== "all") pick("platform", [platform], [...platforms.map(({ id }) => id), "all"]);
  if (!existsSync(options.deployments)) {
    say(`Nothing was removed: there is no ${options.deployments}, so nothing is known to be deployed.`);
    if (options.deployments !== DEPLOYMENTS_FILE) exit.code = ExitCode.failed;
    return;
  }
  const next = "What is not removed yet is still noted. Repeat the command to finish.";
  await untilInterrupted(exit, next, async (signal) => {
    const gone = await destroyDeployments({
      file: options.deployments,
      platforms,
      isMeant: (one) =>
        (platform === "all" || one.platform === platform) && (options.app ?? [one.app]).includes(one.app),
      run: toolRunner(signal),
      confirm: (lines) => {
        say("This will be removed, with everything in it:");
        return confirmLines("Remove?", lines, options.yes ?? false);
      },
      onProgress: (line) => sayAside(line),
    });
    if (gone === null) exit.code = ExitCode.failed;
    if (gone === null || gone.length === 0) say("Nothing was removed.");
  });
}

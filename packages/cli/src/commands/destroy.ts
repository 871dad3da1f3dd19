import { existsSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { DEPLOYMENTS_FILE } from "@evenbench/deploy/name";
import { ExitCode, exit, untilInterrupted } from "../exit.ts";
import { oneOf } from "../nearest.ts";
import { collectNames } from "../option-values.ts";
import { type OptionsOf, shared } from "../options.ts";
import { confirmLines, say, sayLeftOut, sayNote } from "../say.ts";

/** Declares the command `destroy`. */
export function declare(program: Command) {
  return program
    .command("destroy")
    .helpGroup("Deploy:")
    .description("remove what was deployed")
    .argument("[platform]", "only from this platform", "all")
    .option("-a, --app <id...>", "only an app", collectNames)
    .option("-y, --yes", "do not ask")
    .addOption(shared.deployments());
}

/** Removes deployments from their platforms, and from the list of what is deployed. */
export default async function destroy(platform: string, options: OptionsOf<typeof declare>): Promise<void> {
  const { destroyDeployments, readDeployments, toolRunner } = await import("@evenbench/deploy");
  const { discoverApps, discoverPlatforms } = await import("@evenbench/host");
  const platforms = await discoverPlatforms(undefined, sayLeftOut);
  if (platform !== "all") {
    oneOf("platform", [platform], [...platforms.map(({ id }) => id), "all"]);
  }
  const { deployments } = await readDeployments(options.deployments);
  // An app may be deployed still and its folder gone.
  const known = [
    ...(await discoverApps(undefined, sayLeftOut)).map(({ id }) => id),
    ...deployments.map(({ app }) => app),
  ];
  const apps = oneOf("app", options.app ?? [], [...new Set(known)]);
  if (!existsSync(options.deployments)) {
    say(`Nothing was removed: there is no ${options.deployments}, so nothing is known to be deployed.`);
    if (options.deployments !== DEPLOYMENTS_FILE) {
      exit.code = ExitCode.failed;
    }
    return;
  }
  const next = "What is still deployed stays recorded. Repeat the command to finish.";
  await untilInterrupted(next, async (signal) => {
    const gone = await destroyDeployments({
      file: options.deployments,
      platforms,
      isMeant: (deployment) =>
        (platform === "all" || deployment.platform === platform) && apps.includes(deployment.app),
      run: toolRunner(signal),
      confirm: (lines) => {
        say("This will be removed, with everything in it:");
        return confirmLines("Remove?", lines, options.yes ?? false);
      },
      onProgress: sayNote,
    });
    if (gone === null) {
      exit.code = ExitCode.failed;
    }
    if (gone === null || gone.length === 0) {
      say("Nothing was removed.");
    }
  });
}

import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { EVENBENCH } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";
import {
  DEFAULT_NAME,
  DEFAULT_REGION,
  fileOption,
  isDeploymentName,
  NAME_IN_WORDS,
} from "@evenbench/deploy/name";
import type { LocalTarget } from "@evenbench/runner";
import { ExitCode, exit, untilInterrupted } from "../exit.ts";
import { oneOf } from "../nearest.ts";
import { collectNames } from "../option-values.ts";
import { type OptionsOf, shared } from "../options.ts";
import { confirmLines, say, sayLeftOut, sayNote } from "../say.ts";

type DeployCommandOptions = OptionsOf<typeof declare>;

/** Declares the command `deploy`. */
export function declare(program: Command) {
  return program
    .command("deploy")
    .helpGroup("Deploy:")
    .description("build, deploy to a platform behind a token, and check that it serves that build")
    .argument("<platform>", 'the platform, or "all"')
    .option("-a, --app <id...>", "only an app (default: all)", collectNames)
    .option(
      "--name <beginning>",
      `prefix of all deployments' names (default: the one in use, else "${DEFAULT_NAME}")`,
      parseName,
    )
    .option("--region <name>", "region for all platforms, by its AWS name", DEFAULT_REGION)
    .addOption(
      new Option("--cpu <accountant>", "have platforms record the CPU time of each request").choices([
        "provider",
      ]),
    )
    .option("-y, --yes", "do not ask")
    .option("--no-build", "deploy the last build")
    .option("--no-preflight", "skip preflight after deploying")
    .addOption(shared.deployments());
}

/** Builds targets, deploys them behind a token, and checks by preflight that they serve that build. */
export default async function deploy(platform: string, options: DeployCommandOptions): Promise<void> {
  const {
    deployTargets,
    describeCosts,
    planDeployments,
    readDeployments,
    refuseWithoutCredentials,
    toolRunner,
  } = await import("@evenbench/deploy");
  const { buildTargets } = await import("../build.ts");
  const chosen = await chooseDeployedTargets(platform, options.app);
  const { deployments: deployed } = await readDeployments(options.deployments);
  const all = planDeployments(chosen, deployed, options.name);
  try {
    await refuseWithoutCredentials(all, toolRunner(new AbortController().signal));
  } catch (error) {
    for (const line of await describeCosts(chosen)) {
      say(line);
    }
    throw error;
  }
  const { targets, missing } = await buildTargets(chosen, { build: options.build, clean: true });
  if (missing.length > 0) {
    exit.code = ExitCode.failed;
  }
  const planned = all.filter(({ target }) => targets.includes(target));
  const built = planned.map(({ target }) => target);
  const costs = await describeCosts(built);
  const next = `What was started is recorded. Repeat the command to finish, or run \`${EVENBENCH} destroy${fileOption(options.deployments)}\`.`;
  await untilInterrupted(next, async (signal) => {
    const done = await deployTargets({
      planned,
      region: options.region,
      accounting: options.cpu === "provider",
      file: options.deployments,
      run: toolRunner(signal),
      confirm: (lines) => {
        say("This will be created or replaced:");
        return confirmLines("Deploy?", [...lines, ...costs], options.yes ?? false);
      },
      onProgress: sayNote,
    });
    if (done === null) {
      say("Nothing was sent.");
    } else {
      say(`Saved in ${options.deployments}, with the token: keep that file secret.`);
    }
    if (done === null || (options.preflight && !(await prove(options.deployments, built, signal)))) {
      exit.code = ExitCode.failed;
    }
  });
}

function parseName(text: string): string {
  if (!isDeploymentName(text)) {
    throw new InvalidArgumentError(`Give ${NAME_IN_WORDS}.`);
  }
  return text;
}

async function chooseDeployedTargets(
  platform: string,
  apps: readonly string[] = [],
): Promise<readonly LocalTarget[]> {
  const { listTargets } = await import("@evenbench/runner");
  const all = await listTargets((leftOut) => {
    sayLeftOut(leftOut);
    // Who names a platform, or apps, asks for no other.
    const isAsked = leftOut.path.endsWith("platform.ts") ? platform === "all" : apps.length === 0;
    if (isAsked) {
      exit.code = ExitCode.failed;
    }
  });
  const ids = [...new Set(all.map((target) => target.platform.id))];
  if (platform !== "all") {
    oneOf("platform", [platform], [...ids, "all"]);
  }
  const appIds = oneOf("app", apps, [...new Set(all.map(({ app }) => app.id))]);
  const isMeant = ({ id, casesOf }: LocalTarget["app"]) =>
    appIds.includes(id) && (apps.length > 0 || casesOf === undefined);
  const targets = all.filter(
    (target) =>
      isMeant(target.app) &&
      (platform === "all" ? target.platform.deployment !== undefined : target.platform.id === platform),
  );
  if (targets.length > 0) {
    return targets;
  }
  throw new UsageError(
    `There is nothing to deploy: ${appIds.join(", ")} is not built for ${platform}. \`${EVENBENCH} list\` has every app with its platforms.`,
  );
}

async function prove(file: string, built: readonly LocalTarget[], signal: AbortSignal): Promise<boolean> {
  const { deployedTargets, expectBuild, waitForBuild } = await import("@evenbench/deploy");
  const { formatPreflight } = await import("@evenbench/probe/preflight");
  const { provenByApp } = await import("../proving.ts");
  const { casesToMeasure } = await import("../app-cases.ts");
  const deployed = await deployedTargets(file, built);
  const targets = await Promise.all(deployed.filter(({ madeOf }) => built.includes(madeOf)).map(expectBuild));
  for (const target of targets) {
    await waitForBuild(target, file, signal);
  }
  const chosen = { targets, ...(await casesToMeasure(targets, [], false)) };
  let ok = true;
  for await (const { result } of provenByApp(chosen, { signal })) {
    say(formatPreflight(result));
    ok &&= result.ok;
  }
  return ok;
}

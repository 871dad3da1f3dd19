import { EVENBENCH } from "@evenbench/core/called";
import {
  deployedTargets,
  deployTargets,
  expectBuild,
  type PlannedDeployment,
  planDeployments,
  readDeployments,
  refuseWithoutCredentials,
  toolRunner,
  waitForBuild,
} from "@evenbench/deploy";
import { formatPreflight, preflight } from "@evenbench/probe/preflight";
import { type LocalTarget, listTargets, preflightTargetOf } from "@evenbench/runner";
import { confirmLines } from "../confirm.ts";
import type { DeploymentsOption } from "../deployments-option.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { untilInterrupted } from "../interrupt.ts";
import { sayLeftOut } from "../left-out.ts";
import { pick, UsageError } from "../nearest.ts";
import { say, sayAside } from "../say.ts";
import { buildTargets } from "../selection.ts";

import { casesToMeasure } from "../services.ts";

export interface DeployCommandOptions extends DeploymentsOption {
  readonly app?: readonly string[];
  readonly name?: string;
  readonly region: string;
  readonly cpu?: "provider";
  readonly yes?: boolean;
  readonly build: boolean;
  readonly preflight: boolean;
}

export async function deployCommand(
  platform: string,
  options: DeployCommandOptions,
  exit: Exit,
): Promise<void> {
  const wanted = await chooseTargets(platform, options);
  const { targets, missing } = await buildTargets(wanted, { build: options.build, clean: true });
  if (missing.length > 0) exit.code = ExitCode.failed;
  const meant = wanted.filter((target) => targets.includes(target));
  const next = `What was begun is noted. Repeat the command to finish, or run \`${EVENBENCH} destroy\`.`;
  await untilInterrupted(exit, next, async (signal) => {
    const done = await send(meant, options, signal);
    if (!done || (options.preflight && !(await prove(options.deployments, meant, signal)))) {
      exit.code = ExitCode.failed;
    }
  });
}

/** @returns whether it was confirmed, and so sent. */
async function send(
  meant: readonly LocalTarget[],
  options: DeployCommandOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const done = await deployTargets({
    planned: await plan(meant, options),
    region: options.region,
    accounting: options.cpu === "provider",
    file: options.deployments,
    environment: process.env,
    run: toolRunner(signal),
    confirm: (lines) => {
      say("This will be created or replaced:");
      return confirmLines("Deploy?", lines, options.yes ?? false);
    },
    onProgress: (line) => sayAside(line),
  });
  say(
    done === null
      ? "Nothing was sent."
      : `Written down in ${options.deployments}, with the token: keep it to yourself.`,
  );
  return done !== null;
}

/** A platform that is named must take deployments; "all" are those that do. */
async function chooseTargets(
  platform: string,
  options: DeployCommandOptions,
): Promise<readonly LocalTarget[]> {
  const all = await listTargets(sayLeftOut);
  const ids = [...new Set(all.map((target) => target.platform.id))];
  if (platform !== "all") pick("platform", [platform], [...ids, "all"]);
  const chosen = pick("app", options.app ?? [], [...new Set(all.map(({ app }) => app.id))]);
  const meant = all.filter(
    (target) =>
      chosen.includes(target.app.id) &&
      (platform === "all" ? target.platform.deployment !== undefined : target.platform.id === platform),
  );
  if (meant.length === 0) {
    throw new UsageError(
      `There is nothing to deploy: ${chosen.join(", ")} is not built for ${platform}. \`${EVENBENCH} list\` has every app with its platforms.`,
    );
  }
  // Before anything is built, which takes minutes.
  await refuseWithoutCredentials(await plan(meant, options), toolRunner(new AbortController().signal));
  return meant;
}

async function plan(
  targets: readonly LocalTarget[],
  { name, deployments: file }: DeployCommandOptions,
): Promise<readonly PlannedDeployment[]> {
  const { deployments } = await readDeployments(file);
  return planDeployments(targets, { beginning: name, deployed: deployments });
}

/** Waits for what was just deployed, and runs preflight over all of its app's cases that can be served there. */
async function prove(file: string, meant: readonly LocalTarget[], signal: AbortSignal): Promise<boolean> {
  const ours = (await deployedTargets(file, meant, process.env)).filter(({ madeOf }) =>
    meant.includes(madeOf),
  );
  const targets = await Promise.all(ours.map((one) => expectBuild(file, one)));
  for (const target of targets) await waitForBuild(target, signal);
  const { byApp, otherIds } = await casesToMeasure(targets, []);
  let ok = true;
  for (const [app, cases] of Object.entries(byApp)) {
    const own = targets
      .filter((target) => target.app === app)
      .map((target) => preflightTargetOf(target, undefined));
    const result = await preflight({ targets: own, cases, otherCaseIds: otherIds });
    say(formatPreflight(result));
    ok &&= result.ok;
  }
  return ok;
}

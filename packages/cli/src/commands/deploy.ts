import {
  DEFAULT_REGION,
  deployedTargets,
  deploySubjects,
  deployTargets,
  expectBuild,
  toolRunner,
  waitForBuild,
} from "@evenbench/deploy";
import { formatPreflight, preflight } from "@evenbench/preflight";
import { type LocalTarget, listTargets, preflightTargetOf } from "@evenbench/runner";
import { type Command, Option } from "commander";
import { chooseCases } from "../cases.ts";
import { confirmLines } from "../confirm.ts";
import { type DeploymentsOption, withDeployments } from "../deployments-option.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { untilInterrupted } from "../interrupt.ts";
import { pick } from "../nearest.ts";
import { collect } from "../quantity.ts";
import { buildTargets } from "../selection.ts";

interface DeployCommandOptions extends DeploymentsOption {
  readonly app?: readonly string[];
  readonly region: string;
  readonly cpu?: "provider";
  readonly yes?: boolean;
  readonly build: boolean;
  readonly preflight: boolean;
}

/** `evenbench deploy`: puts built targets on their platforms, closed by a token, and proves them. */
export default function deploy(program: Command, exit: Exit): void {
  const command = program
    .command("deploy")
    .description("build anew, deploy to a platform, closed by a token, and prove that it serves that build")
    .argument("<platform>", 'the platform, or "all"')
    .option("-a, --app <id...>", "only an app (default: all)", collect)
    .option("--region <name>", "where all platforms run, as AWS calls it", DEFAULT_REGION)
    .addOption(
      new Option("--cpu <accountant>", "let platforms keep the CPU time of each request").choices([
        "provider",
      ]),
    )
    .option("-y, --yes", "do not ask")
    .option("--no-build", "send what was built last")
    .option("--no-preflight", "do not prove afterwards what serves now");
  withDeployments(command).action(async (platform: string, options: DeployCommandOptions) => {
    const wanted = await chooseTargets(platform, options.app ?? []);
    const { targets, missing } = await buildTargets(wanted, { build: options.build, clean: true });
    if (missing.length > 0) exit.code = ExitCode.failed;
    const meant = wanted.filter((target) => targets.includes(target));
    const next = "What was begun is noted. Repeat the command to finish, or run `evenbench destroy`.";
    await untilInterrupted(exit, next, async (signal) => {
      const done = await send(meant, options, signal);
      if (!done || (options.preflight && !(await prove(options.deployments, meant, signal)))) {
        exit.code = ExitCode.failed;
      }
    });
  });
}

/** @returns whether it was confirmed, and so sent. */
async function send(
  meant: readonly LocalTarget[],
  options: DeployCommandOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const done = await deployTargets({
    subjects: deploySubjects(meant),
    region: options.region,
    accounting: options.cpu === "provider",
    file: options.deployments,
    environment: process.env,
    run: toolRunner(signal),
    confirm: (lines) => {
      console.log("This will be created or replaced:");
      return confirmLines("Deploy?", lines, options.yes ?? false);
    },
    onProgress: (line) => console.error(line),
  });
  console.log(
    done === null
      ? "Nothing was sent."
      : `Written down in ${options.deployments}, with the token: keep it to yourself.`,
  );
  return done !== null;
}

/** A platform that is named must take deployments; "all" are those that do. */
async function chooseTargets(platform: string, apps: readonly string[]): Promise<readonly LocalTarget[]> {
  const all = await listTargets();
  const ids = [...new Set(all.map((target) => target.platform.id))];
  if (platform !== "all") pick("platform", [platform], [...ids, "all"]);
  const chosen = pick("app", apps, [...new Set(all.map(({ app }) => app.id))]);
  const meant = all.filter(
    (target) =>
      chosen.includes(target.app.id) &&
      (platform === "all" ? target.platform.deployment !== undefined : target.platform.id === platform),
  );
  // Before anything is built.
  deploySubjects(meant);
  return meant;
}

/** Waits for what was just deployed, and runs preflight over all of its app's cases. */
async function prove(file: string, meant: readonly LocalTarget[], signal: AbortSignal): Promise<boolean> {
  const ours = (await deployedTargets(file, meant, process.env)).filter(({ madeOf }) =>
    meant.includes(madeOf),
  );
  const targets = await Promise.all(ours.map((one) => expectBuild(file, one)));
  for (const target of targets) await waitForBuild(target, signal);
  const { byApp, otherIds } = await chooseCases(targets, []);
  let ok = true;
  for (const [app, cases] of Object.entries(byApp)) {
    const own = targets
      .filter((target) => target.app === app)
      .map((target) => preflightTargetOf(target, undefined));
    const result = await preflight({ targets: own, cases, otherCaseIds: otherIds });
    console.log(formatPreflight(result));
    ok &&= result.ok;
  }
  return ok;
}

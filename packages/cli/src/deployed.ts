import { deployedTargets, expectBuild, tokenForUrl } from "@evenbench/deploy";
import type { LocalTarget, UrlTarget } from "@evenbench/runner";
import { BuildError, build } from "./build.ts";
import type { DeploymentsOption } from "./deployments-option.ts";
import { sayNote } from "./say.ts";

/**
 * What was deployed of these local targets, as targets that must run what is built here; builds that first,
 * from the cache where it has it.
 *
 * @throws {DeployError} when nothing is deployed, or nothing is built.
 * @throws {BuildError} when what they are to be held against cannot be built.
 */
export async function deployedOf(
  local: readonly LocalTarget[],
  names: readonly string[],
  options: DeploymentsOption & { readonly build: boolean },
): Promise<readonly UrlTarget[]> {
  const all = await deployedTargets(options.deployments, local, process.env);
  const isMeant = ({ target }: (typeof all)[number]) => names.length === 0 || names.includes(target.name);
  const meant = all.filter(isMeant);
  if (options.build && meant.length > 0) {
    sayNote("Building what deployed targets have to run ...");
    const { failures, brokenBelow, summary } = await build(meant.map(({ madeOf }) => madeOf));
    if (failures.size > 0 || brokenBelow) {
      throw new BuildError(
        `What is deployed cannot be held against a build of now, which fails. Its last lines:\n${summary}\nFix it, or give --no-build to go on with the last one.`,
      );
    }
  }
  // Those that are not meant are only there for their names.
  return Promise.all(all.map((one) => (isMeant(one) ? expectBuild(options.deployments, one) : one.target)));
}

/** The same URL with its token, where it is one of the deployments, or its host is named for the token. */
export async function withToken(
  target: UrlTarget,
  { deployments, tokenFor = [] }: DeploymentsOption & { readonly tokenFor?: readonly string[] },
): Promise<UrlTarget> {
  return { ...target, token: await tokenForUrl(deployments, target.url, process.env, tokenFor) };
}

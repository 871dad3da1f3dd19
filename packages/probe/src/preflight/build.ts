import type { Identity } from "@evenbench/core";
import type { PreflightTarget } from "./options.ts";
import type { PreflightProblem } from "./problem.ts";

/** The name by which a difference can be allowed. */
export const BUILD_PIN = "build";

/** Whether a deployment runs what is built here; nothing to say of targets that are none of ours. */
export function compareBuild(
  { name, expectedBuild }: PreflightTarget,
  { facts }: Identity,
): PreflightProblem[] {
  if (expectedBuild === null || expectedBuild === undefined) return [];
  const { digest, deployedAt, command } = expectedBuild;
  const running = facts.build ?? "(not given)";
  if (running === digest) return [];
  const when = deployedAt === null ? "" : ` It was deployed at ${deployedAt}.`;
  return [
    {
      kind: "build",
      pin: BUILD_PIN,
      caseId: null,
      what: `${name} does not run what is built here.${when}`,
      values: { expected: digest, [name]: running },
      remedy: `Deploy it again: \`${command}\`.`,
    },
  ];
}

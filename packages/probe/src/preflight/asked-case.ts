import { type CaseManifest, type Identity, sourceOfCase } from "@evenbench/core";
import type { Answers } from "./asking.ts";
import { compareAnswers, findFailures } from "./compare.ts";
import type { CollectedFindings, PreflightOptions, PreflightProblem } from "./options.ts";
import { judgeOwnServers } from "./own-servers.ts";
import { refusedAnswers } from "./refused-answers.ts";

/** A case with the answers that targets gave so far. */
export interface AskedCase {
  readonly manifest: CaseManifest;
  readonly answers: Answers[];
  /** True where every target that was reached has answered. */
  readonly isWhole: boolean;
}

/**
 * Tells whether it makes sense to ask for a case once more: not where its answers are no work, or cannot be
 * compared.
 */
export function isWorthAsking(
  asked: AskedCase,
  options: PreflightOptions,
  found: CollectedFindings,
): boolean {
  const { manifest, answers } = asked;
  // What differs between own servers may be what varies within each.
  return asksOwnServers(options)
    ? options.sameWork === "assumed" || refusedAnswers(manifest, answers).length === 0
    : problemsOf(asked, options, found).length === 0;
}

/** Tells whether the targets are servers of a user's own, which have no golden values and no settings. */
export function asksOwnServers({ targets }: PreflightOptions): boolean {
  return targets.some(({ ownServer }) => ownServer !== undefined);
}

/** Finds what is wrong with the answers to a case so far. */
export function problemsOf(
  { manifest, answers }: AskedCase,
  options: PreflightOptions,
  { identities }: CollectedFindings,
): readonly PreflightProblem[] {
  const { targets, sameWork = "proven" } = options;
  if (asksOwnServers(options)) {
    return judgeOwnServers(manifest, answers, targets, sameWork).problems;
  }
  const source = caseSourceOf(manifest, identities);
  const failure = findFailures(manifest, answers, source);
  if (failure !== null) {
    return [failure];
  }
  return compareAnswers(manifest, answers).map((differing) => {
    return { ...differing, remedy: `${differing.remedy} Its source: ${source}.` };
  });
}

/** Finds the path of a case's source; null for a case of own servers, which has none. */
export function caseSourceOf(
  { id, request }: CaseManifest,
  identities: Readonly<Record<string, Identity>>,
): string | null {
  if (request !== undefined) {
    return null;
  }
  const [identity] = Object.values(identities);
  return sourceOfCase(identity?.app ?? "", id);
}

// Finds the commit that a pull request is compared with, and fetches it: a CI's clone mostly has one commit.
import { UserError } from "@evenbench/core/errors";
import { readJsonAs } from "@evenbench/core/user-file";
import { z } from "zod";
import { assertRepository, type Git, reasonOfGit } from "../against/find-commit.ts";

/** What is read of the event that GitHub's runner gives in a file. */
const gitHubEvent = z.looseObject({
  before: z.string().nullish(),
  merge_group: z.looseObject({ base_sha: z.string().nullish() }).nullish(),
});

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables in which CIs name the branch that a pull request goes to. */
const TARGET_BRANCHES = [
  "GITHUB_BASE_REF",
  "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
  "CHANGE_TARGET",
  "BITBUCKET_PR_DESTINATION_BRANCH",
  "SYSTEM_PULLREQUEST_TARGETBRANCHNAME",
  "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
];

/**
 * Finds the commit where the pull request began, or that a push replaced: its full hash; null where no CI says one.
 *
 * @throws {UserError} with git's reason, where it cannot be fetched.
 */
export async function findBase(environment: Variables, git: Git): Promise<string | null> {
  await assertRepository(git);
  const merged = await mergedInto(environment, git);
  if (merged !== null) {
    return fetched(merged, git);
  }
  const { CI_MERGE_REQUEST_DIFF_BASE_SHA: began } = environment;
  if (began) {
    return fetched(began, git);
  }
  const branch = TARGET_BRANCHES.map((name) => environment[name]).find(Boolean);
  if (branch !== undefined) {
    return beginning(branch, git);
  }
  const replaced = environment.CI_COMMIT_BEFORE_SHA ?? pushedOver(environment.GITHUB_EVENT_PATH);
  return replaced === null || /^0*$/.test(replaced) ? null : fetched(replaced, git);
}

/** Gives the first parent of GitHub's own merge of a pull request; null where another commit is checked out. */
async function mergedInto(
  { GITHUB_REF: ref = "", GITHUB_SHA: merge }: Variables,
  git: Git,
): Promise<string | null> {
  if (!/^refs\/pull\/\d+\/merge$/.test(ref) || (await git("rev-parse", "HEAD")) !== merge) {
    return null;
  }
  // A shallow clone lacks the parents, and its commit names them all the same.
  const commit = await git("cat-file", "commit", "HEAD");
  const [, parent = null] = /^parent ([0-9a-f]+)$/m.exec(commit) ?? [];
  return parent;
}

/** Gives the commit that a push to GitHub replaced, or that its merge queue adds to; null where the event has none. */
function pushedOver(file: string | undefined): string | null {
  const event = file ? readJsonAs(file, gitHubEvent, "an event of GitHub") : null;
  return event?.before ?? event?.merge_group?.base_sha ?? null;
}

/** Fetches a commit where it is not here. */
async function fetched(commit: string, git: Git): Promise<string> {
  const isHere = await git("cat-file", "-e", `${commit}^{commit}`).then(
    () => true,
    () => false,
  );
  if (!isHere) {
    await fetch(["--depth", "1", "origin", commit], commit, git);
  }
  return commit;
}

/** Finds where the checked-out commit left a branch, for which all commits of both are needed. */
async function beginning(branch: string, git: Git): Promise<string> {
  const name = branch.replace(/^refs\/heads\//, "");
  const isShallow = (await git("rev-parse", "--is-shallow-repository")) === "true";
  const refspec = `+refs/heads/${name}:refs/remotes/origin/${name}`;
  await fetch([...(isShallow ? ["--unshallow"] : []), "origin", refspec], name, git);
  try {
    return await git("merge-base", `refs/remotes/origin/${name}`, "HEAD");
  } catch {
    throw new UserError(`HEAD and ${name} have no commit in common. Name the base: evenbench ci <commit>.`);
  }
}

async function fetch(words: readonly string[], what: string, git: Git): Promise<void> {
  try {
    await git("fetch", "--quiet", "--no-tags", ...words);
  } catch (error) {
    throw new UserError(
      `git cannot fetch ${what}: ${reasonOfGit(error)}. Let the checkout bring it (fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 of GitLab), or name another base.`,
    );
  }
}

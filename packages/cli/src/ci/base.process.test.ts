import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gitIn as committerIn, testFolder } from "@evenbench/host/testing/folder";
import { beforeAll, expect, test } from "vitest";
import { gitIn } from "../against/find-commit.ts";
import { findBase } from "./base.ts";

const place = testFolder();
const origin = join(place, "origin");
const git = (folder: string, ...words: string[]) => committerIn(folder)(...words);
const commits = { first: "", main: "", change: "", merge: "" };

function commit(name: string): string {
  writeFileSync(join(origin, name), name);
  git(origin, "add", name);
  git(origin, "commit", "--quiet", "--message", name);
  return git(origin, "rev-parse", "HEAD");
}

// As GitHub has it: a branch that went on, a change from before that, and its own merge of both.
beforeAll(() => {
  mkdirSync(origin);
  git(origin, "init", "--quiet", "--initial-branch=main");
  git(origin, "config", "uploadpack.allowAnySHA1InWant", "true");
  commits.first = commit("first");
  git(origin, "checkout", "--quiet", "-b", "change");
  commits.change = commit("change");
  git(origin, "checkout", "--quiet", "main");
  commits.main = commit("second");
  git(origin, "checkout", "--quiet", "--detach");
  git(origin, "merge", "--quiet", "--no-ff", "--message", "merge", "change");
  commits.merge = git(origin, "rev-parse", "HEAD");
  git(origin, "update-ref", "refs/pull/7/merge", "HEAD");
  git(origin, "checkout", "--quiet", "change");
  git(origin, "checkout", "--quiet", "-b", "updated");
  git(origin, "merge", "--quiet", "--no-ff", "--message", "update", "main");
});

/** Checks a ref out as a CI does, with one commit, and gives its git. */
function checkedOut(name: string, ref: string) {
  const folder = join(place, name);
  mkdirSync(folder);
  git(folder, "init", "--quiet");
  git(folder, "remote", "add", "origin", `file://${origin}`);
  git(folder, "fetch", "--quiet", "--depth", "1", "origin", ref);
  git(folder, "checkout", "--quiet", "--detach", "FETCH_HEAD");
  expect(git(folder, "rev-list", "--count", "HEAD")).toBe("1");
  return gitIn(folder);
}

/** What GitHub's runner says of a pull request, whatever is checked out. */
const ofPullRequest = () => ({ GITHUB_REF: "refs/pull/7/merge", GITHUB_SHA: commits.merge });

test("the base of GitHub's merge of a pull request is the branch that it goes to, and is fetched", async () => {
  const ofClone = checkedOut("merged", "refs/pull/7/merge");
  expect(await findBase({ ...ofPullRequest(), GITHUB_BASE_REF: "main" }, ofClone)).toBe(commits.main);
  expect(await ofClone("cat-file", "-t", commits.main)).toBe("commit");
});

test("a change that is checked out itself, and took its branch in by a merge, is no merge of GitHub's", async () => {
  const ofClone = checkedOut("updated", "refs/heads/updated");
  expect(await findBase({ ...ofPullRequest(), GITHUB_BASE_REF: "main" }, ofClone)).toBe(commits.main);
});

test.each([
  ["GITHUB_BASE_REF", "main"],
  ["CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"],
  ["CHANGE_TARGET", "main"],
])(
  "where a change itself is checked out, the base is where it left the branch of %s",
  async (name, branch) => {
    const ofClone = checkedOut(name, "refs/heads/change");
    expect(await findBase({ [name]: branch }, ofClone)).toBe(commits.first);
  },
);

test("what a CI says is the beginning is it; of a push it is what was there before", async () => {
  const ofClone = checkedOut("said", "refs/heads/main");
  expect(await findBase({ CI_MERGE_REQUEST_DIFF_BASE_SHA: commits.change }, ofClone)).toBe(commits.change);
  const event = join(place, "event.json");
  for (const given of [{ before: commits.first }, { merge_group: { base_sha: commits.first } }]) {
    writeFileSync(event, JSON.stringify(given));
    expect(await findBase({ GITHUB_EVENT_PATH: event }, ofClone)).toBe(commits.first);
  }
  expect(await findBase({ CI_COMMIT_BEFORE_SHA: "0".repeat(40) }, ofClone)).toBeNull();
  expect(await findBase({}, ofClone)).toBeNull();
});

test("an event that is none is refused in one line", async () => {
  const ofClone = checkedOut("no event", "refs/heads/main");
  const event = join(place, "no-event.json");
  writeFileSync(event, "{");
  await expect(findBase({ GITHUB_EVENT_PATH: event }, ofClone)).rejects.toThrow(
    /no-event\.json is not an event of GitHub: it is no JSON/,
  );
});

test("a branch that the remote lacks is an error that says what the checkout can bring", async () => {
  const ofClone = checkedOut("lacking", "refs/heads/change");
  await expect(findBase({ GITHUB_BASE_REF: "gone" }, ofClone)).rejects.toThrow(
    /cannot fetch gone: .*fetch-depth/s,
  );
});

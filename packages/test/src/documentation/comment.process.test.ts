// The script that comments, held at the text that it hands to GitHub's own program.
import { execFile } from "node:child_process";
import { chmod, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@evenbench/host";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";

const place = testFolder();
const SCRIPT = join(repositoryRoot, "comment/comment.sh");

/** GitHub's program, which keeps the words and the text of a comment. */
const GH = `#!/usr/bin/env bash
case "$*" in
  "pr list"*) echo "$PULL_REQUESTS" ;;
  *--paginate*) echo "$COMMENTS" ;;
  *) echo "$*" > "$SEEN"; for word in "$@"; do case "$word" in body=@*) cat "\${word#body=@}" > "$SEEN.body" ;; esac; done ;;
esac
`;

/** Runs the script where GitHub's program says these comments, and gives its words and the text that it was given. */
async function commented(text: string, comments: string, variables: Readonly<Record<string, string>>) {
  writeFiles(place, { "bin/gh": GH, "comment.md": text, seen: "", "seen.body": "" });
  const [bin = "", FILE, SEEN = ""] = ["bin", "comment.md", "seen"].map((name) => join(place, name));
  await chmod(join(bin, "gh"), 0o755);
  const PATH = [bin, process.env.PATH].join(delimiter);
  const env = {
    PATH,
    FILE,
    SEEN,
    COMMENTS: comments,
    GH_REPO: "o/r",
    PULL_REQUESTS: "",
    HEAD_SHA: "",
    ...variables,
  };
  await promisify(execFile)("bash", [SCRIPT], { env });
  return { words: await readFile(SEEN, "utf8"), body: await readFile(`${SEEN}.body`, "utf8") };
}

test("what a pull request wrote can mention nobody, link nowhere and show no HTML", async () => {
  const text =
    "<!-- evenbench -->\n### Passed\n@octocat [a](http://evil.example) ![b](//x) <img src=x> www.evil.example\n[c]: http://evil.example\n";
  const { words, body } = await commented(text, "", { NUMBER: "7" });
  expect(words).toContain("repos/o/r/issues/7/comments");
  expect(body).toMatch(/^<!-- evenbench -->\n### Passed\n/);
  expect(body).not.toMatch(/@octocat|\]\(|\]:|:\/\/|www\.|<img/);
  expect(body.match(/<!--/g)).toHaveLength(1);
});

test("a text that is too long is cut, also within a letter", async () => {
  const { body } = await commented(`a${"−".repeat(30_000)}`, "", { NUMBER: "7" });
  expect(body).toBe(`<!-- evenbench -->\na${"−".repeat(19_999)}\n`);
});

test("the comment of before is replaced, and a fork's pull request is found by its commit", async () => {
  const found = await commented("text\n", "11\n12", { NUMBER: "7" });
  expect(found.words).toContain("--method PATCH repos/o/r/issues/comments/11");
  const ofFork = await commented("text\n", "", { HEAD_SHA: "abc", PULL_REQUESTS: "9" });
  expect(ofFork.words).toContain("repos/o/r/issues/9/comments");
  const closed = await commented("text\n", "", { HEAD_SHA: "abc" });
  expect(closed.words).toBe("");
});

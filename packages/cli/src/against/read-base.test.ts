import { UserError } from "@evenbench/core";
import { expect, test } from "vitest";
import type { ListDocument } from "../list-document.ts";
import { readBase } from "./read-base.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const node = { name: "node", app: "bundle", platform: "node" };
const listed: ListDocument = { targets: [node], off: [], cases: { bundle: [{ id: "empty" }] } };

test("what a commit lists is read, with as much of its cases as is needed", () => {
  const cases = { bundle: [{ id: "empty", path: "/empty", title: "Empty" }] };
  expect(readBase(JSON.stringify({ ...listed, cases, added: "later" }), COMMIT)).toEqual(listed);
});

test.each([
  ["lists no targets", JSON.stringify({ cases: listed.cases }), "targets: "],
  ["lists targets in another form", JSON.stringify({ ...listed, targets: ["node"] }), "targets.0: "],
  ["lists cases in another form", JSON.stringify({ ...listed, cases: ["empty"] }), "cases: "],
  ["says more than its list", '{"targets":[]}\nDone.', "its output: "],
])("a commit that %s is one line: what, why and what next", (_, json, why) => {
  const read = () => readBase(json, COMMIT);
  expect(read).toThrow(UserError);
  expect(read).toThrow(
    /^Commit 0123456789ab cannot say what it has: .* is of another version of Evenbench .* say compare --builds .*\.$/,
  );
  expect(read).toThrow(`(${why}`);
});

import { expect, test } from "vitest";
import { methodSection } from "./facts.ts";

const commit = "0123456789012345678901234567890123456789";
const repository = "https://github.com/someone/bench";

test.each([false, true])("the glossary of the commit is linked (files differed from it: %s)", (changed) => {
  const { text } = methodSection({ source: { commit, changed, repository } });
  const link = `<a href="${repository}/blob/${commit}/docs/glossary.md">the glossary</a>`;
  expect(text).toContain(`Words are explained in ${link}.`);
});

test.each([null, { commit, changed: false, repository: null }])(
  "nothing is linked where nobody knows where it is read: %o",
  (source) => {
    expect(methodSection({ source }).text).not.toContain("<a ");
  },
);

import { MANIFEST_DEFAULTS } from "@evenbench/core";
import { expect, test } from "vitest";
import { type PreflightOutcome, withAnswer, withCache } from "./preflight-outcome.ts";

const manifest = { ...MANIFEST_DEFAULTS, id: "page", path: "/page", title: "/page", description: "" };
const outcome: PreflightOutcome = {
  identities: {},
  expectations: {},
  masks: {},
  cached: { page: 'node says "x-nextjs-prerender: 1"' },
  seen: {},
};

test("a case whose answers name a cache says so, but for one of which a cache has the beginning alone", () => {
  expect(withCache(manifest, outcome).cached).toBe(
    'Its answers come from a cache or a file: node says "x-nextjs-prerender: 1".',
  );
  expect(withCache({ ...manifest, partlyCached: true }, outcome).cached).toBeUndefined();
});

const request = { method: "GET", headers: [], body: null };
const golden = { status: 200, contentType: "text/html", bytes: 4, sha256: "aa" };
const expected = { ...golden, masks: [], variation: null, isPage: false };

test.each([
  ["equal on all servers", { request }, [expected, expected], golden],
  ["of one server", { request }, [expected], golden],
  ["not equal", { request }, [expected, { ...expected, sha256: "bb" }], null],
  ["not compared whole", { request }, [expected, { ...expected, unchecked: "length" }], null],
  ["of a case of the repository", {}, [expected, expected], null],
  ["not there", { request }, [], null],
] as const)("of answers that are %s a run's plan has what it should", (_, fields, answers, found) => {
  const expectations = {
    page: Object.fromEntries(answers.map((answer, index) => [`target-${index}`, answer])),
  };
  expect(withAnswer({ ...manifest, ...fields }, { expectations }).golden).toEqual(found);
});

import { MANIFEST_DEFAULTS } from "@evenbench/core";
import { expect, test } from "vitest";
import { type PreflightOutcome, withCache } from "./preflight-outcome.ts";

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

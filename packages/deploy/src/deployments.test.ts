import { expect, test } from "vitest";
import { chooseToken } from "./deployments.ts";

const OWN = "a".repeat(64);
const OTHER = "b".repeat(64);
const given = { EVENBENCH_TOKEN: OWN };

test("a token that is given is used and not kept; else the kept one is used; else one is made and kept", () => {
  expect(chooseToken(given, { token: null }, 0)).toEqual({ token: OWN, kept: null });
  expect(chooseToken({}, { token: OTHER }, 3)).toEqual({ token: OTHER, kept: OTHER });
  const made = chooseToken({}, { token: null }, 0);
  expect(made.token).toMatch(/^[0-9a-f]{64}$/);
  expect(made.kept).toBe(made.token);
});

test("what stays deployed keeps its token: another one is refused, given or made", () => {
  expect(() => chooseToken({}, { token: null }, 1)).toThrow(/Set EVENBENCH_TOKEN to the same one/);
  expect(() => chooseToken(given, { token: OTHER }, 1)).toThrow(/EVENBENCH_TOKEN is another\. Unset/);
  expect(chooseToken(given, { token: OWN }, 1)).toEqual({ token: OWN, kept: OWN });
  expect(chooseToken(given, { token: null }, 1)).toEqual({ token: OWN, kept: null });
});

test("where all is deployed anew the token may change, and the old one is not kept", () => {
  expect(chooseToken(given, { token: OTHER }, 0)).toEqual({ token: OWN, kept: null });
});

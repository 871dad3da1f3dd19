import { expect, test } from "vitest";
import { isPassedOn } from "./tool.ts";

test.each([
  ["npm_config_loglevel", false],
  ["npm_config_local_prefix", false],
  ["npm_lifecycle_event", false],
  ["NODE_OPTIONS", false],
  ["npm_config_registry", true],
  ["npm_config_cache", true],
  ["HTTPS_PROXY", true],
])("%s reaches the tools of a build: %s", (variable, isPassed) => {
  expect(isPassedOn(variable)).toBe(isPassed);
});

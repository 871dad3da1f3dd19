import { expect, test } from "vitest";
import { isPassedOn, unreachedServers } from "./tool.ts";

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

test("the servers that a build cannot reach are named once each", () => {
  const output = `Error occurred prerendering page "/news".
  [cause]: Error: getaddrinfo ENOTFOUND api.example.com
    code: 'ENOTFOUND',
getaddrinfo ENOTFOUND api.example.com
request to https://registry.example.org failed, reason: getaddrinfo EAI_AGAIN registry.example.org`;
  expect(unreachedServers(output)).toEqual(["api.example.com", "registry.example.org"]);
  expect(unreachedServers("Error: ENOTFOUND is the name of an error")).toEqual([]);
});

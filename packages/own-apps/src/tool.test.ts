import { expect, test } from "vitest";
import { unreachedServers } from "./tool.ts";

test("the servers that a build cannot reach are named once each", () => {
  const output = `Error occurred prerendering page "/news".
  [cause]: Error: getaddrinfo ENOTFOUND api.example.com
    code: 'ENOTFOUND',
getaddrinfo ENOTFOUND api.example.com
request to https://registry.example.org failed, reason: getaddrinfo EAI_AGAIN registry.example.org`;
  expect(unreachedServers(output)).toEqual(["api.example.com", "registry.example.org"]);
  expect(unreachedServers("Error: ENOTFOUND is the name of an error")).toEqual([]);
});

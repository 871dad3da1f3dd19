import { expect, test } from "vitest";
import { parsePlaces } from "./play.ts";

test("a vantage is this machine, or what ssh reaches", () => {
  expect(parsePlaces(["here=local", "eu=ssh:me@vm1.example"])).toEqual([
    { vantage: "here", destination: null },
    { vantage: "eu", destination: "me@vm1.example" },
  ]);
});

test.each([
  ["eu", /is not a vantage/],
  ["EU=local", /is not a vantage/],
  ["../eu=local", /is not a vantage/],
  ["eu=vm1", /is not a vantage/],
  // It would be an option of ssh.
  ["eu=ssh:-oProxyCommand=x", /is not a vantage/],
  ["eu=ssh:vm1 reboot", /is not a vantage/],
])("%s is refused", (word, message) => {
  expect(() => parsePlaces([word])).toThrow(message);
});

test("two vantages of one name would be one log read twice", () => {
  expect(() => parsePlaces(["eu=local", "eu=ssh:vm1"])).toThrow(/Two vantages are named "eu"/);
});

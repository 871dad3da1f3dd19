import { expect, test } from "vitest";
import { wordsOfInputs } from "./inputs.ts";

test("each input of the action is the option of its name, with a value on each line", () => {
  const inputs = {
    path: "/a\n\n  /b?c=1 2\r\n",
    "fail-on": "cpu slower 10%",
    start: "node server.js --port 1 && echo",
    time: "",
    args: "--header accept-language: de\n--quick\n--seed=1",
    base: "main",
    comment: "true",
    version: "1.0.0",
    "node-version": "24",
    artifact: "evenbench",
    "working-directory": "app",
  };
  expect(wordsOfInputs({ EVENBENCH_INPUTS: JSON.stringify(inputs) })).toEqual([
    "--path=/a",
    "--path=/b?c=1 2",
    "--fail-on=cpu slower 10%",
    "--start=node server.js --port 1 && echo",
    "--header=accept-language: de",
    "--quick",
    "--seed=1",
    "main",
  ]);
  expect(wordsOfInputs({})).toEqual([]);
});

test.each(["", "[]", "null", '{"path":1}', "{"])("%j is no object of inputs", (text) => {
  expect(() => wordsOfInputs({ EVENBENCH_INPUTS: text })).toThrow(/EVENBENCH_INPUTS/);
});

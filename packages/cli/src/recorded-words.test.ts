import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { expect, test } from "vitest";
import { words } from "../test/evenbench.ts";
import { addAppOptions, addOwnAppOptions, withOwnServers, withTargets } from "./options.ts";
import { recordedWords } from "./recorded-words.ts";

const app = new Command("app");
addAppOptions(app);
const load = withOwnServers(withTargets(new Command("load")));
addOwnAppOptions(load);
const plan = new Command("plan").requiredOption("-o, --out <folder>", "a folder");

test.each<[string, Command, readonly string[], readonly string[]]>([
  [
    "words that hide nothing stay as they were typed",
    load,
    ["load", "-t", "a=cmd: node a.js --x=1,2", "-t", "b=http://[::1]:80", "--path=/", "--path", "/p", "/q"],
    ["load", "-t", "a=cmd: node a.js --x=1,2", "-t", "b=http://[::1]:80", "--path=/", "--path", "/p", "/q"],
  ],
  [
    "values of a query that may be secrets are told apart by numbers",
    load,
    ["load", "--path=/a?token=one", "--path", "/a?token=two", "/b?page=2"],
    ["load", "--path", "/a?token=<value>", "--path", "/a?token=<value 2>", "--path", "/b?page=2"],
  ],
  [
    "values of headers are hidden, but for those that are no secrets",
    load,
    ["load", "--header", "Authorization: Bearer secret", "accept-language: de", "--header=cookie:a=secret"],
    words`load --header`.concat(
      "Authorization: <value>",
      "--header",
      "accept-language: de",
      "--header",
      "cookie: <value>",
    ),
  ],
  [
    "where results go is left out, in every form",
    app,
    ["app", "../shop", "--out", "elsewhere", "--json", "--path", "/", "-oelsewhere", "--out=elsewhere"],
    ["app", "../shop", "--path", "/"],
  ],
  ["and what was built before", load, ["load", "--no-build", "--case", "a"], ["load", "--case", "a"]],
  ["but for a folder that the command needs", plan, ["plan", "--out", "p"], ["plan", "--out", "p"]],
  [
    "an absolute path is written from the folder where it was typed",
    app,
    ["app", join(process.cwd(), "../shop"), "--env-file", join(process.cwd(), "a.env"), "--path", "/tmp"],
    ["app", "../shop", "--env-file", "a.env", "--path", "/tmp"],
  ],
])("%s", (_, command, typed, recorded) => {
  expect(recordedWords(typed, command)).toEqual(recorded);
});

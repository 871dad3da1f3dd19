import { join } from "node:path";
import { expect, test } from "vitest";
import { words } from "../test/evenbench.ts";
import { createProgram } from "./main.ts";
import { TypedWords } from "./typed-words.ts";

/** Gives the words that a record has of a command line. */
async function recorded(typed: readonly string[]): Promise<readonly string[]> {
  const program = await createProgram();
  const typedWords = new TypedWords(program);
  let found: readonly string[] = [];
  for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
    command.action(() => {
      found = typedWords.wordsOf(command);
    });
  }
  await program.parseAsync([...typed], { from: "user" });
  return found;
}

const OWN = ["load", "--target", "a=cmd: node a.js --x=1,2"];

test.each<[string, readonly string[], readonly string[]]>([
  ["nothing", [], []],
  ["the default command by its name", words`run --case math`, words`--case math`],
  [
    "several values, and short and joined forms",
    words`-c math,trig --case=empty --quick -cx --case react-ssr large --cold 3`,
    words`--case math,trig --case empty --quick --case x --case react-ssr --case large --cold 3`,
  ],
  [
    "values with blanks, and such as begin with a hyphen",
    [...OWN, "--path", "/", "--mask", "-x y"],
    [...OWN, "--path", "/", "--mask=-x y"],
  ],
  [
    "values of a query that may be secrets, which are told apart by numbers",
    [...OWN, "--path=/a?token=one", "--path", "/a?token=two", "/b?page=2"],
    [...OWN, "--path", "/a?token=<value>", "--path", "/a?token=<value 2>", "--path", "/b?page=2"],
  ],
  [
    "headers, with the values of those that are surely no secrets",
    [...OWN, "--path", "/", "--header", "Authorization: Bearer secret", "accept-language: de"],
    [...OWN, "--path", "/", "--header", "Authorization: <value>", "--header", "accept-language: de"],
  ],
  [
    "not where results go, and whether it was built before",
    words`load --no-build --case math --json -oelsewhere`,
    words`load --case math`,
  ],
  [
    "a folder that the command cannot do without",
    words`vantages plan -o p --case a`,
    words`vantages plan --out p --case a`,
  ],
  [
    "absolute paths from the folder where they were typed, and no path of a request",
    ["app", join(process.cwd(), "../shop"), "--env-file", join(process.cwd(), "a.env"), "--path", "/tmp"],
    words`app ../shop --env-file a.env --path /tmp`,
  ],
])("a record has %s", async (_, typed, expected) => {
  expect(await recorded(typed)).toEqual(expected);
});

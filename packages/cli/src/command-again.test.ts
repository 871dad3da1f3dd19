// A command that a report suggests, typed again, has the options that the run had, but for those that it replaces.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type CommandChange, commandOf } from "@evenbench/report";
import { expect, test } from "vitest";
import { words } from "../test/evenbench.ts";
import { createProgram } from "./main.ts";
import { TypedWords } from "./typed-words.ts";

/** A command line as the program understands it. */
interface Understood {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Its words as a record has them. */
  readonly recorded: readonly string[];
}

async function understand(words: readonly string[]): Promise<Understood> {
  const program = await createProgram();
  const typed = new TypedWords(program);
  let understood: Understood | null = null;
  for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
    command.action(() => {
      understood = { args: command.args, options: command.opts(), recorded: typed.wordsOf(command) };
    });
  }
  await program.parseAsync([...words], { from: "user" });
  if (understood === null) {
    throw new Error(`${words.join(" ")} runs no command.`);
  }
  return understood;
}

/** Stands behind the words of each command. */
const END = "\u0001";

/** Takes commands apart as a shell does: one shell for all, since each start of a program takes long. */
function wordsOf(commands: readonly string[]): readonly (readonly string[])[] {
  const lines = commands.map((command) => {
    const rest = command.replace(/^npm run bench( --)?/, "");
    return `for word in ${rest}; do printf '%s\\0' "$word"; done; printf '%s\\0' '${END}'`;
  });
  const words = execFileSync("sh", { input: lines.join("\n"), encoding: "utf8" });
  return words
    .split(`${END}\0`)
    .slice(0, -1)
    .map((ofCommand) => ofCommand.split("\0").slice(0, -1));
}

const FORMS: Readonly<Record<string, string>> = { case: "c", target: "t", app: "a" };
/** Values of options of `run`, each of one word; null is a switch. */
const OF_CASES: readonly (readonly [name: string, value: string | null])[] = [
  ["case", "trig,math"],
  ["case", "next-page"],
  ["app", "bundle"],
  ["app", "next"],
  ["trials", "7"],
  ["time", "90s"],
  ["seed", "5"],
  ["cold", "2"],
  ["node", "24.21.0"],
  ["server-cores", "apart"],
  ["workers", "2"],
  ["precision", "2%"],
  ["quick", null],
];
/** Values of options of `app`. */
const OF_APP: readonly (readonly [name: string, value: string | null])[] = [
  ["path", "/a?b=c&d"],
  ["path", "/it's"],
  ["on", "node,vercel"],
  ["build", "npm run build -- --case x"],
  ["start", "-- --trials 3"],
  ["mask", "-\\d{1,3} !"],
  ["header", "accept: a/b, c/d"],
  ["same-work", "assumed"],
  ["trials", "4"],
  ["time", "500ms"],
  ["env-file", "a b.env"],
];

const CASES = [
  { id: "trig", path: null, app: "bundle" },
  { id: "next-page", path: null, app: "next" },
];
const PATHS = [
  { id: "root", path: "/", app: "app" },
  { id: "b", path: "/b?c=d", app: "app" },
  // As a settings file asks the same path in another way.
  { id: "order", path: "/b?c=d", app: "app" },
];

/** Draws whole numbers below a bound, always the same ones (Numerical Recipes' generator). */
function drawer(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (1_664_525 * state + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Writes an option in one of the forms in which it may be typed. */
function typedForm([name, value]: (typeof OF_CASES)[number], draw: (below: number) => number): string[] {
  const short = FORMS[name];
  if (value === null) {
    return [`--${name}`];
  }
  const forms = [
    [`--${name}`, value],
    [`--${name}=${value}`],
    ...(short === undefined ? [] : [[`-${short}`, value], [`-${short}${value}`]]),
  ];
  const form = forms[draw(forms.length)] ?? [];
  return value.startsWith("-") ? [`--${name}=${value}`] : form;
}

test("drawn commands, typed again with other cases, trials and time, have all other options as they were", async () => {
  const draw = drawer();
  const drawn = [];
  for (let count = 0; count < 60; count++) {
    const isApp = draw(2) === 0;
    const all = isApp ? OF_APP : OF_CASES;
    const placed = all.filter(() => draw(2) === 0).map((option) => ({ option, place: draw(1000) }));
    const typed = placed.toSorted((a, b) => a.place - b.place).map(({ option }) => option);
    const verb = isApp ? ["app", "../my app", "--path", "/first"] : [];
    const words = [...verb, ...typed.flatMap((option) => typedForm(option, draw))];
    const before = await understand(words);
    const cases = isApp ? PATHS : CASES;
    const chosen = cases.filter(() => draw(2) === 0);
    const change: CommandChange = {
      cases: chosen.map(({ id }) => id),
      options: draw(2) === 0 ? { trials: "20" } : { time: "180s", trials: "9" },
    };
    const command = commandOf({ run: { command: before.recorded }, cases, targets: [] }, change) ?? "";
    const paths = { path: [...new Set(chosen.map(({ path }) => path))] };
    const ofCases = chosen.length > 0 && (isApp ? paths : { case: change.cases });
    drawn.push({ words, before, change, command, ofCases });
  }
  const typedAgain = wordsOf(drawn.map(({ command }) => command));
  for (const [index, { words, before, change, ofCases }] of drawn.entries()) {
    const again = await understand(typedAgain[index] ?? []);
    expect(again.args, words.join(" ")).toEqual(before.args);
    expect(again.options, words.join(" ")).toEqual({
      ...before.options,
      ...ofCases,
      ...(change.options.time !== undefined && { time: 180_000 }),
      trials: Number(change.options.trials),
    });
  }
});

test("without a change a command is the run's own, and null where none was recorded", async () => {
  const { recorded } = await understand(["-c", "trig", "--time=20s"]);
  const facts = (command: readonly string[] | null) => ({ run: { command }, cases: CASES, targets: [] });
  expect(commandOf(facts(recorded))).toBe("npm run bench -- --case trig --time 20s");
  expect(commandOf(facts([]))).toBe("npm run bench");
  expect(commandOf(facts(null))).toBeNull();
});

test("a command of one case names no target that does not serve it", () => {
  const targets = [
    { name: "node", app: "bundle" },
    { name: "next-node", app: "next" },
    { name: "mine", app: "bundle" },
  ];
  const words = ["--target", "node,next-node", "--target", "mine=http://[::1]:80", "--baseline", "next-node"];
  const facts = { run: { command: words }, cases: CASES, targets };
  expect(commandOf(facts, { cases: ["trig"], options: {} })).toBe(
    "npm run bench -- --case trig --target node --target 'mine=http://[::1]:80'",
  );
  expect(commandOf(facts, { cases: ["next-page"], options: {} })).toBe(
    "npm run bench -- --case next-page --target next-node --baseline next-node",
  );
});

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
  expect((await understand(typed)).recorded).toEqual(expected);
});

import { Command, CommanderError, Option } from "commander";
import { expect, test } from "vitest";
import addLoadCommand from "./commands/load.ts";
import { keepOldName } from "./old-name.ts";

function parsed(...args: string[]) {
  const hints: string[] = [];
  const command = new Command("load").exitOverride().configureOutput({ writeErr: () => {} });
  const concurrency = new Option("--concurrency <n>", "requests at a time").argParser(Number).default(1);
  command.addOption(concurrency.conflicts("rate")).option("--rate <n>", "arrivals per second");
  keepOldName(command, "--lanes", "--concurrency", (line) => hints.push(line));
  return { command, hints, parse: () => command.parse(args, { from: "user" }).opts() };
}

test("an old name sets the option of today, as the command reads it, and says the new name in one line", () => {
  const { hints, parse } = parsed("--lanes", "4");
  expect(parse()).toMatchObject({ concurrency: 4 });
  expect(hints).toEqual(["--lanes is now called --concurrency; the old name goes with the next version."]);
});

test("the name of today, and no name at all, say nothing", () => {
  const given = parsed("--concurrency", "4");
  expect(given.parse()).toEqual({ concurrency: 4 });
  const left = parsed();
  expect(left.parse()).toEqual({ concurrency: 1 });
  expect([...given.hints, ...left.hints]).toEqual([]);
});

test("an old name has the conflicts of the option that it stands for", () => {
  expect(parsed("--lanes", "4", "--rate", "2").parse).toThrow(CommanderError);
});

test("a name for no option is an error of ours", () => {
  expect(() => keepOldName(new Command("load"), "--old", "--new")).toThrow("load has no option --new");
});

test("load takes its old names, and its help shows the names of today only", () => {
  const program = new Command("evenbench");
  addLoadCommand(program, { code: 0 });
  const [load] = program.commands;
  const longs = load?.options.map(({ long }) => long);
  expect(longs).toEqual(expect.arrayContaining(["--lanes", "--concurrency", "--sets", "--trials"]));
  expect(load?.helpInformation()).toMatch(/--concurrency <list>.*--trials <n>/s);
  expect(load?.helpInformation()).not.toMatch(/--lanes|--sets/);
});

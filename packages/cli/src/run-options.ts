import { type Command, Option } from "commander";
import {
  allowOption,
  baselineOption,
  casesOption,
  outOption,
  seedOption,
  serverCoresOption,
  suiteOption,
  workersOption,
} from "./common-options.ts";
import { parseDuration, parsePause, parsePrecision, parseTimes, wholeNumber } from "./quantity.ts";

export function withRunOptions(command: Command): Command {
  withWhat(command);
  withDuration(command);
  withMethod(command);
  withExtras(command);
  return withResults(command);
}

function withWhat(command: Command): Command {
  return command
    .optionsGroup("What to measure:")
    .addOption(casesOption())
    .addOption(suiteOption())
    .option("--quick", "a smoke test: nothing is warmed up, so nothing is compared");
}

function withDuration(command: Command): Command {
  return command
    .optionsGroup("How long:")
    .addOption(
      new Option(
        "--time <duration>",
        'time for each case, starts and warm-up included, such as "60s", or "<case>=20s,<case>=30s"; what is decided ends earlier',
      )
        .argParser(parseTimes)
        .conflicts("total"),
    )
    .option(
      "--total <duration>",
      "time for all cases together (default: 43s for each, and more where three trials take more)",
      parseDuration,
    )
    .option(
      "--rounds <n>",
      "measured rounds of each trial (default: about 24, and at least 6)",
      wholeNumber(1, 1e6),
    )
    .option(
      "--precision <width>",
      'end a case when its intervals are narrower than this, such as "2%" (default: when it is decided)',
      parsePrecision,
    );
}

function withMethod(command: Command): Command {
  return command
    .optionsGroup("How:")
    .addOption(seedOption())
    .addOption(baselineOption())
    .addOption(serverCoresOption("all"))
    .option(
      "--trials <n>",
      "fresh starts of all targets for each case (default: 3, and up to 10 for cases that are still open)",
      wholeNumber(1, 1000),
    )
    .option(
      "--spacing <n>",
      "requests that a target gets back to back, before it is another one's turn",
      wholeNumber(1, 1000),
      1,
    )
    .option(
      "--pause <duration>",
      "time without any request before each measured one (default: none)",
      parsePause,
    )
    .option(
      "--warm-up <n>",
      "warm-up requests of every instance (default: what each target is found to need)",
      wholeNumber(1, 1e6),
    )
    .addOption(workersOption());
}

function withExtras(command: Command): Command {
  return command
    .optionsGroup("Also:")
    .option(
      "--cold <n>",
      "also measure so many cold starts of each target, after each case",
      wholeNumber(0, 1000),
      0,
    )
    .option(
      "--sweep [duration]",
      "also send 1 to 32 requests at a time, after all cases; the time is for each case (default: 60s)",
      parseDuration,
    );
}

function withResults(command: Command): Command {
  return command
    .optionsGroup("Settings and results:")
    .addOption(allowOption())
    .addOption(
      new Option(
        "--cpu <accountant>",
        "ask platforms for the CPU time of each request (with --where deployed)",
      ).choices(["provider"]),
    )
    .addOption(outOption());
}

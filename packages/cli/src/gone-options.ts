import { type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { EVENBENCH } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";

/** An option that went, with the one that serves, as the end of a sentence. */
interface GoneOption {
  readonly flags: string;
  readonly serves: string;
}

const GONE: readonly GoneOption[] = [
  { flags: "--suite [name]", serves: "--case takes the name of a suite, too, and --case all is every case" },
  { flags: "--total [duration]", serves: "--time is for each case" },
  { flags: "--rounds [n]", serves: "--trials makes intervals narrower" },
  { flags: "--warm-up [n]", serves: "each server is warmed up by as many requests as it needs" },
  { flags: "--allow [setting...]", serves: "`against` compares builds that differ" },
  { flags: "--sweep [duration]", serves: `\`${EVENBENCH} load\` sends more than one request at a time` },
  { flags: "--table", serves: "`report --share` has the table" },
  { flags: "-q, --quiet", serves: "--json is for programs" },
  { flags: "-w, --where [place]", serves: "--deployed measures what `deploy` put on the platforms" },
  { flags: "--deployments [file]", serves: "--deployed takes the file" },
  { flags: "--token-for [host...]", serves: "with --deployed the URLs of --target get EVENBENCH_TOKEN" },
  { flags: "--cpu [accountant]", serves: "--deployed asks the platforms for CPU times by itself" },
];

/** Commands that some of these options were of. */
const COMMANDS = ["run", "app", "load", "preflight", "profile", "against", "report", "plan"];

/** Makes a program refuse the options that went, with a line that names the one that serves. */
export function refuseGoneOptions(program: CommandUnknownOpts): void {
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  for (const command of commands.filter((command) => COMMANDS.includes(command.name()))) {
    for (const { flags, serves } of GONE) {
      const option = new Option(flags).hideHelp();
      if (command.options.some(({ long }) => long === option.long)) {
        continue;
      }
      command.addOption(option);
      command.on(`option:${option.name()}`, () => {
        throw new UsageError(`There is no ${option.long} any more: ${serves}.`);
      });
    }
  }
}

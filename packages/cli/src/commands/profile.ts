import { type Command, Option } from "commander";
import type { ProfileCommandOptions } from "../actions/profile.ts";
import { outOption } from "../common-options.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { withOutput } from "../output-options.ts";
import { isOfOwnServers, refuseForRepository, withOwnServers } from "../own-servers/options.ts";
import { parseDuration } from "../quantity.ts";
import { withSelection } from "../selection-options.ts";

export default function addProfileCommand(program: Command, exit: Exit): void {
  const command = program
    .command("profile")
    .helpGroup("Measure:")
    .description("take CPU profiles of a case on local targets, under load, side by side")
    .argument("[case]", "the case to ask for; for servers of your own it is --path")
    .addOption(
      new Option("--time <duration>", "how long each target is sampled")
        .argParser(parseDuration)
        .default(10_000, "10 s"),
    )
    // Not among the runs, of which the newest is what other commands take.
    .addOption(outOption("the folder that takes the profile's own folder", "profiles"));
  withExamples(command, [
    ["npm run bench -- profile react-ssr --target node --target cloudflare", "two platforms side by side"],
    [
      'npm run bench -- profile --target new="cmd: node new.js" --path /products',
      "a server of your own, which knows nothing of Evenbench",
    ],
  ]);
  withOutput(withOwnServers(withSelection(command))).action(
    async (word: string | undefined, options: ProfileCommandOptions) => {
      if (isOfOwnServers(options)) refuseForRepository(command);
      const { profileCommand } = await import("../actions/profile.ts");
      await profileCommand(word, options, exit);
    },
  );
}

import { IN_CLONE } from "@evenbench/core/called";
import type { Command } from "commander";
import type { RunCommandOptions } from "../actions/run.ts";
import { describeOutside, inCloneOnly } from "../clone.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { withOutput } from "../output-options.ts";
import {
  isOfOwnServers,
  refuseForOwnServers,
  refuseForRepository,
  withOwnServers,
} from "../own-servers/options.ts";
import { withRunOptions } from "../run-options.ts";
import { SELECTION_FLAGS, withSelection } from "../selection-options.ts";

export const worksOutside = true;

export default function addRunCommand(program: Command, exit: Exit): void {
  const command = program
    .command("run", { isDefault: true })
    // What `npm run bench` is called.
    .alias("bench")
    .helpGroup("Measure:")
    .description(
      IN_CLONE
        ? "build, host all targets locally, preflight, measure and report (the default)"
        : "start your servers or reach them, see that they do the same work, measure and report (the default)",
    );
  withRunOptions(command);
  withExamples(command, [
    ["npm run bench -- --case react-ssr --time 60s", "one case, in a time of your own", "clone"],
    ["npm run bench -- --target node --target cloudflare", "two platforms only", "clone"],
    ["npm run bench -- --suite all --total 30m", "every case, in half an hour", "clone"],
    [
      'npm run bench -- --target old="cmd: node old.js" --target new="cmd: node new.js" --path /products',
      "two servers of your own, which know nothing of Evenbench",
    ],
  ]);
  withOutput(withOwnServers(withSelection(command)));
  inCloneOnly(
    command,
    ...["--case", "--suite", "--workers", "--allow", "--cpu", "--sweep"],
    ...SELECTION_FLAGS.filter((flag) => flag !== "--target"),
  );
  describeOutside(command, {
    "--target": 'a server: name=URL, or name="cmd: node server.js" to start one with PORT',
    "--path": "a path that every --target answers; each is a case",
    "--baseline": "the server that the others are compared with (default: the first)",
  });
  command.action(async (options: RunCommandOptions) => {
    // Outside of a clone there are no others.
    if (!IN_CLONE || isOfOwnServers(options)) {
      const { runOwnServers } = await import("../actions/run-own-servers.ts");
      refuseForRepository(command);
      await runOwnServers(options, exit);
      return;
    }
    refuseForOwnServers(options);
    const { runCommand } = await import("../actions/run.ts");
    await runCommand(options, exit);
  });
}

import { once } from "node:events";
import { develop, listDevTargets, NOT_TO_BE_MEASURED } from "@evenbench/dev";
import type { Command } from "commander";
import type { Exit } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { pick } from "../nearest.ts";
import { collect, wholeNumber } from "../quantity.ts";

interface DevCommandOptions {
  readonly filter?: readonly string[];
  readonly port: number;
}

/** `evenbench dev`: servers that reload at every change, and one page over all of them. */
export default function dev(program: Command, _exit: Exit): void {
  program
    .command("dev")
    .description("start servers for developing, which reload at every change; never to be measured")
    .option(
      "-F, --filter <name...>",
      "only these targets: a platform's or an app's name (default: all)",
      collect,
    )
    .option(
      "--port <n>",
      "port of the page that lists everything; 0 for a free one",
      wholeNumber(0, 65_535),
      4400,
    )
    .action(async ({ filter = [], port }: DevCommandOptions) => {
      const targets = await listDevTargets();
      const wanted = pick("target", filter, [...new Set(targets.map(({ name }) => name))]);
      console.log(`NOT TO BE MEASURED. ${NOT_TO_BE_MEASURED}\nBuilding and starting ...`);
      const signal = interruptible("Stopping all servers.");
      const session = await develop(
        targets.filter(({ name }) => wanted.includes(name)),
        { port, onLine: (line) => console.log(line) },
      );
      try {
        console.log(`\nEvery case on every target: ${session.url}\nLogs: ${session.logs}\nCtrl-C ends it.`);
        if (!signal.aborted) await once(signal, "abort");
      } finally {
        await session.stop();
      }
    });
}

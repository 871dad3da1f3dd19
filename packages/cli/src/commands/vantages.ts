import type { Command } from "commander";
import type { Exit } from "../exit.ts";
import { addVantagesCollect } from "../vantages/collect-command.ts";
import { addVantagesPlan } from "../vantages/plan-command.ts";
import { addVantagesRun } from "../vantages/run-command.ts";

export default function addVantagesCommand(program: Command, exit: Exit): void {
  const command = program
    .command("vantages")
    .helpGroup("Measure:")
    .description("measure deployed targets from many machines and regions, on k6");
  addVantagesPlan(command, exit);
  addVantagesRun(command, exit);
  addVantagesCollect(command);
}

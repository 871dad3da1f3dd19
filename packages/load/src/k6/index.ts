import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf, UserError } from "@evenbench/core";
import { findK6, HOW_TO_GET_K6 } from "@evenbench/vantages";
import type { LoadEngine } from "../options.ts";
import { runK6Stage } from "./k6-stage.ts";

const START_MS = 3500;
/** k6 refuses a shorter scenario. */
const LEAST_STAGE_MS = 1000;

export async function k6Engine(): Promise<LoadEngine> {
  const file = await findK6();
  if (file === null) throw new UserError(HOW_TO_GET_K6);
  return {
    name: "k6",
    version: await versionOf(file),
    startMs: START_MS,
    leastStageMs: LEAST_STAGE_MS,
    runStage(stage) {
      if (stage.load.kind === "closed") throw new Error("k6 is given rates only.");
      return runK6Stage(file, stage.load, stage);
    },
  };
}

async function versionOf(file: string): Promise<string> {
  const said = await promisify(execFile)(file, ["version"]).then(
    ({ stdout }) => stdout,
    (error) => {
      throw new UserError(`${file} does not say its version: ${messageOf(error)}`);
    },
  );
  return /\bv(\d+\.\d+\.\d+\S*)/.exec(said)?.[1]?.replace(/,$/, "") ?? said.trim();
}

import { stripVTControlCharacters } from "node:util";
import { formatDuration, type RunTool, UserError } from "@evenbench/core";
import { runProgram, toolEnvironment } from "@evenbench/host";

/** Number of a failed tool's last lines that are shown. */
const LINES_KEPT = 20;
/** Milliseconds after which a silent tool is ended: it waits for something that will not come. */
const SILENT_FOR_MS = 10 * 60_000;

/** Makes what runs platforms' tools. Their output is shown only where they fail; they end when `signal` aborts. */
export function toolRunner(signal: AbortSignal, silentForMs: number = SILENT_FOR_MS): RunTool {
  return async ({ name, ...call }) => {
    if (signal.aborted) {
      throw new UserError(`${name} was not started any more.`);
    }
    const silent = new AbortController();
    const silence = setTimeout(() => silent.abort(), silentForMs);
    const { failure, stdout, output } = await runProgram({
      ...call,
      env: toolEnvironment(call.env),
      signal: AbortSignal.any([signal, silent.signal]),
      onOutput: () => silence.refresh(),
    });
    clearTimeout(silence);
    if (failure === null) {
      return stdout;
    }
    if (signal.aborted) {
      throw new UserError(`${name} was interrupted.`);
    }
    const isSilent = silent.signal.aborted;
    const how = isSilent ? `said nothing for ${formatDuration(silentForMs)}, and was ended` : failure;
    const lines = stripVTControlCharacters(output)
      .split("\n")
      .filter((line) => line.trim() !== "");
    throw new UserError(`${name} ${how}:\n${lines.slice(-LINES_KEPT).join("\n")}`);
  };
}

import { readHistory, renderHistory } from "@evenbench/report";
import { say, sayJson } from "../say.ts";

export interface HistoryOptions {
  readonly anyway?: boolean;
  readonly json?: boolean;
}

export async function historyCommand(results: string, options: HistoryOptions): Promise<void> {
  const found = await readHistory(results, options);
  if (options.json) sayJson(found, 2);
  else say(renderHistory(found));
}

import { quoteLog } from "@evenbench/host";
import type { PreflightProblem } from "@evenbench/probe/preflight";

/**
 * The ends of the logs of local targets that are down or answer with an error of their own: there it is said why.
 *
 * @param logFiles by the target's name.
 * @returns a block of lines for each of them; none where no such target is blamed.
 */
export function quoteBlamedLogs(
  problems: readonly PreflightProblem[],
  logFiles: ReadonlyMap<string, string>,
): string[] {
  const blamed = new Set(problems.flatMap(namesBlamed));
  return [...logFiles].filter(([name]) => blamed.has(name)).map(([, logFile]) => quoteLog(logFile));
}

function namesBlamed({ kind, values }: PreflightProblem): string[] {
  if (kind === "down") return Object.keys(values);
  if (kind !== "status") return [];
  return Object.keys(values).filter((name) => name !== "expected" && values[name]?.startsWith("HTTP 5"));
}

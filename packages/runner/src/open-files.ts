import type { ExchangeError } from "@evenbench/probe";
import { RunError } from "./options.ts";

/** Numbers of files that a measurement holds open at its height. */
export interface OpenFiles {
  /** Connections of its client, over all targets. */
  readonly connections: number;
  /** Processes that it starts, over all targets. Services come on top. */
  readonly processes: number;
}

/** Number of files that the process itself holds open: those of Node.js, its libraries, results and logs. */
const OWN_FILES = 40;
/**
 * Number of files for each process that it starts: a supervisor's channel, and pipes and logs while it
 * starts.
 */
const FILES_PER_PROCESS = 6;

/**
 * The soft limit on open files of this process, which its children inherit; null where the system names none.
 */
function openFileLimit(): number | null {
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
  };
  const soft = Number(userLimits?.open_files?.soft ?? Number.NaN);
  return Number.isFinite(soft) ? soft : null;
}

/**
 * Refuses a measurement for which this process may not open enough files: later its own failures would look
 * like its targets'.
 *
 * @param services number of services that are started besides.
 * @param limit the soft limit; null where it is not known.
 * @throws {RunError} if the limit is too low.
 */
export function assertOpenFiles(
  files: OpenFiles,
  services: number,
  limit: number | null = openFileLimit(),
): void {
  const { connections, processes } = files;
  const needed = OWN_FILES + connections + FILES_PER_PROCESS * (processes + services);
  if (limit === null || needed <= limit) {
    return;
  }
  const fewer = connections > needed / 2 ? " Or offer fewer requests at a time (--concurrency)." : "";
  throw new RunError(
    `This process may have ${limit} open files, and this measurement needs about ${needed}. Raise the limit, and start it again in the same shell: ulimit -n ${needed}.${fewer}`,
  );
}

/**
 * Ends a measurement in which the client itself ran out of something.
 *
 * @throws {RunError} if the error says so.
 */
export function refuseClientLimit(error: ExchangeError | null): void {
  if (error?.kind !== "client-limit") {
    return;
  }
  throw new RunError(
    `The client could open no further connection: ${error.detail}. That is no failure of the target. What was measured before is kept. Raise the limit, or use fewer connections, and measure again.`,
  );
}

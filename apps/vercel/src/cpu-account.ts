/** One request as the account has it. */
interface Accounted {
  readonly id: string | null;
  readonly before: NodeJS.CpuUsage;
  /** Whether it was answered by now, and nothing else was under way meanwhile. */
  alone: boolean;
  answered: boolean;
}

/** Notes a request's arrival; see `createCpuAccount`. */
export interface Arrival {
  /**
   * What is to be reported of the request before this one: "<id>=<milliseconds>"; null where there is nothing
   * to report.
   */
  readonly told: string | null;
  /** To be called when the request has been answered. */
  answered(): void;
}

/**
 * The CPU time of requests that were alone in their instance, from the arrival of one to the arrival of the
 * next, by all threads of the process: what it left to the garbage collector is in it. It is reported with
 * the next response, because it is not known before. A request during which another one was under way has
 * none.
 *
 * @param read the process's account so far, in microseconds.
 */
export function createCpuAccount(read: () => NodeJS.CpuUsage = () => process.cpuUsage()) {
  let last: Accounted | null = null;
  return (id: string | null): Arrival => {
    const before = read();
    let told: string | null = null;
    let alone = true;
    if (last !== null) {
      const microseconds = before.user - last.before.user + before.system - last.before.system;
      if (last.answered && last.alone && last.id !== null) told = `${last.id}=${microseconds / 1000}`;
      if (!last.answered) {
        last.alone = false;
        alone = false;
      }
    }
    const own: Accounted = { id, before, alone, answered: false };
    last = own;
    return {
      told,
      answered() {
        own.answered = true;
      },
    };
  };
}

interface AccountedRequest {
  /** The name that its client gave it; null where it gave none. */
  readonly id: string | null;
  /** The process's CPU time when it arrived. */
  readonly before: NodeJS.CpuUsage;
  /** True if no other request was under way beside it so far. */
  isAlone: boolean;
}

/** The arrival of a request. */
export interface ArrivedRequest {
  /** The value of `CPU_HEADER` for the request before; null where its account is not known, or mixed with another's. */
  readonly account: string | null;
  /** Notes that the request has been answered. */
  answered(): void;
}

/**
 * Makes a function that is to be called at each arrival, with the request's name. A request's account is the CPU time
 * of all threads from its arrival to the next one's, including the garbage collection that it caused.
 */
export function createCpuAccount(): (id: string | null) => ArrivedRequest {
  const underWay = new Set<AccountedRequest>();
  let last: AccountedRequest | null = null;
  return (id) => {
    const before = process.cpuUsage();
    const account = last === null || underWay.has(last) ? null : cpuAccountOf(last, before);
    for (const other of underWay) {
      other.isAlone = false;
    }
    const accounted: AccountedRequest = { id, before, isAlone: underWay.size === 0 };
    underWay.add(accounted);
    last = accounted;
    return {
      account,
      answered() {
        underWay.delete(accounted);
      },
    };
  };
}

/** Writes an account, "<id>=<milliseconds>"; null for a request without a name, or with others beside it. */
function cpuAccountOf({ id, isAlone, before }: AccountedRequest, now: NodeJS.CpuUsage): string | null {
  if (!isAlone || id === null) {
    return null;
  }
  const microseconds = now.user - before.user + now.system - before.system;
  return `${id}=${microseconds / 1000}`;
}

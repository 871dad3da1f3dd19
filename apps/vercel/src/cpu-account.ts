interface Accounted {
  readonly id: string | null;
  readonly before: NodeJS.CpuUsage;
  alone: boolean;
}

/** By all threads, from one arrival to the next: what a request left to the collector is in it. */
export function createCpuAccount(read: () => NodeJS.CpuUsage = () => process.cpuUsage()) {
  const underWay = new Set<Accounted>();
  let last: Accounted | null = null;
  return (id: string | null) => {
    const before = read();
    const account = last === null || underWay.has(last) ? null : accountOf(last, before);
    for (const other of underWay) {
      other.alone = false;
    }
    const accounted: Accounted = { id, before, alone: underWay.size === 0 };
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

function accountOf({ id, alone, before }: Accounted, now: NodeJS.CpuUsage): string | null {
  if (!alone || id === null) {
    return null;
  }
  const microseconds = now.user - before.user + now.system - before.system;
  return `${id}=${microseconds / 1000}`;
}

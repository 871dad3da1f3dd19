import type { Connection } from "./protocol.ts";

/** Gives a connection to `use` alone until its work is over; waits for one where all are in use. */
export type Pool = <T>(use: (connection: Connection) => Promise<T>) => Promise<T>;

/** Makes a pool of at most `size` connections. Whoever waits gets one in the order of asking. */
export function createPool(size: number, open: () => Promise<Connection>): Pool {
  const idle: Connection[] = [];
  const waiting: (() => void)[] = [];
  let inUse = 0;

  return async <T>(use: (connection: Connection) => Promise<T>): Promise<T> => {
    if (inUse < size) {
      inUse += 1;
    } else {
      // Whoever gives a connection back hands its place on to the first who waits.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      const connection = idle.pop() ?? (await open());
      try {
        const result = await use(connection);
        idle.push(connection);
        return result;
      } catch (error) {
        connection.close();
        throw error;
      }
    } finally {
      const next = waiting.shift();
      if (next === undefined) {
        inUse -= 1;
      } else {
        next();
      }
    }
  };
}

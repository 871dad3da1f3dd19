import type { Connection } from "./protocol.ts";

/** Lends `size` connections at a time to whoever uses one, in the order in which they asked. */
export function createPool(size: number, open: () => Promise<Connection>) {
  const idle: Connection[] = [];
  const waiting: (() => void)[] = [];
  let lent = 0;

  return async <T>(use: (connection: Connection) => Promise<T>): Promise<T> => {
    if (lent < size) {
      lent += 1;
    }
    // Whoever gives a place back hands it on to the first who waits.
    else {
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
        lent -= 1;
      } else {
        next();
      }
    }
  };
}

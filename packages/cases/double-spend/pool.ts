import type { Connection } from "./protocol.ts";

export class ConnectionPool {
  readonly #size: number;
  readonly #open: () => Promise<Connection>;
  readonly #idle: Connection[] = [];
  readonly #waiting: (() => void)[] = [];
  #lent = 0;

  constructor(size: number, open: () => Promise<Connection>) {
    this.#size = size;
    this.#open = open;
  }

  async with<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#lent < this.#size) this.#lent += 1;
    // Whoever gives a place back hands it on to the first who waits.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      const connection = this.#idle.pop() ?? (await this.#open());
      try {
        const result = await use(connection);
        this.#idle.push(connection);
        return result;
      } catch (error) {
        connection.close();
        throw error;
      }
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#lent -= 1;
      else next();
    }
  }
}

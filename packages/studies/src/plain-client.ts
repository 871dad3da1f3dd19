// A client for checking the bench's own: nothing of its probe, plans or statistics is in here.
import { readdirSync, readFileSync } from "node:fs";
import { Agent, get } from "node:http";

export interface PlainExchange {
  /** From the call to the end of the body. */
  readonly ms: number;
  /** CPU time of the server's threads since the request before, by /proc. */
  readonly cpuMs: number;
}

/** Asks one server for one path, again and again, over one connection. */
export class PlainClient {
  readonly #url: string;
  readonly #pids: readonly number[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #usedMs: number;

  constructor(url: string, pids: readonly number[]) {
    this.#url = url;
    this.#pids = pids;
    this.#usedMs = usedBy(pids);
  }

  async ask(): Promise<PlainExchange> {
    const start = performance.now();
    await this.#fetch();
    const ms = performance.now() - start;
    const used = usedBy(this.#pids);
    const cpuMs = used - this.#usedMs;
    this.#usedMs = used;
    return { ms, cpuMs };
  }

  close(): void {
    this.#agent.destroy();
  }

  #fetch(): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { "accept-encoding": "identity" };
      get(this.#url, { agent: this.#agent, headers }, (response) => {
        const { statusCode = 0 } = response;
        if (statusCode < 200 || statusCode > 299) reject(new Error(`${this.#url} answers ${statusCode}`));
        response.on("error", reject).on("end", resolve).resume();
      }).on("error", reject);
    });
  }
}

function usedBy(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    }
  }
  return nanoseconds / 1e6;
}

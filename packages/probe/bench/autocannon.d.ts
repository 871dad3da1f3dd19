/** What the benchmark uses of autocannon 9, which ships no types. */
declare module "autocannon" {
  import type { EventEmitter } from "node:events";

  interface Options {
    readonly url: string;
    readonly connections: number;
    readonly amount: number;
    readonly headers: Readonly<Record<string, string>>;
  }
  interface Result {
    readonly errors: number;
    readonly non2xx: number;
  }
  interface Instance extends EventEmitter, PromiseLike<Result> {
    on(
      event: "response",
      listener: (client: unknown, status: number, bytes: number, responseTimeMs: number) => void,
    ): this;
  }
  export default function autocannon(options: Options): Instance;
}

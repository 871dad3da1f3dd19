import { type BeginLine, type EndLine, type ExchangeLine, lineSchema } from "../protocol/index.ts";
import { ClientLog } from "./client-log.ts";
import { PlanLogs, type Problem } from "./plan-logs.ts";

/** Gets every exchange whose client is known. */
export type TakeExchange = (line: ExchangeLine, client: ClientLog) => void;

/** What was read from the logs of a measurement: clients in the order in which they appear, and what is wrong. */
export class Logs {
  readonly #logs: PlanLogs<BeginLine, ExchangeLine, EndLine, ClientLog>;
  /** Versions of HTTP: of each, which target it answered where. */
  readonly #versions = new Map<string, Set<string>>();

  /** @param plan the hash of the plan that the logs are to be of. */
  constructor(plan: string, take: TakeExchange) {
    this.#logs = new PlanLogs<BeginLine, ExchangeLine, EndLine, ClientLog>({
      plan,
      schema: lineSchema,
      clientOf: (begin, file, index) => new ClientLog(begin, file, index),
      take: (line, client) => {
        this.#seeVersion(line, client);
        take(line, client);
      },
    });
  }

  get clients(): readonly ClientLog[] {
    return this.#logs.clients;
  }

  /** Reads one file. @throws {UserError} when it cannot be read. */
  read(file: string): Promise<void> {
    return this.#logs.read(file);
  }

  /** Everything that is wrong, once all is read. */
  problems(): readonly Problem[] {
    return [...this.#logs.problems(), ...this.#mixed()];
  }

  #seeVersion({ protocol, target }: ExchangeLine, { begin }: ClientLog): void {
    if (protocol === null) return;
    const seen = this.#versions.get(protocol) ?? new Set();
    this.#versions.set(protocol, seen);
    seen.add(`${target} from ${begin.vantage}`);
  }

  #mixed(): Problem[] {
    if (this.#versions.size < 2) return [];
    const each = [...this.#versions].map(([version, where]) => `${version} (${[...where].join(", ")})`);
    const sentence = `Versions of HTTP are mixed: ${each.join("; ")}. Start every client with GODEBUG=http2client=0.`;
    return [{ kind: "mixed", sentence }];
  }
}

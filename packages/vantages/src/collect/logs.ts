import { type BeginLine, type EndLine, type ExchangeLine, lineSchema } from "../protocol/index.ts";
import { ClientLog } from "./client-log.ts";
import { HttpVersions } from "./http-versions.ts";
import { PlanLogs, type Problem } from "./plan-logs.ts";

export type TakeExchange = (line: ExchangeLine, client: ClientLog) => void;

export class Logs {
  readonly #logs: PlanLogs<BeginLine, ExchangeLine, EndLine, ClientLog>;
  readonly #versions = new HttpVersions();

  /** @param plan the hash of the plan that the logs are to be of. */
  constructor(plan: string, take: TakeExchange) {
    this.#logs = new PlanLogs<BeginLine, ExchangeLine, EndLine, ClientLog>({
      plan,
      schema: lineSchema,
      clientOf: (begin, file, index) => new ClientLog(begin, file, index),
      take: (line, client) => {
        this.#versions.see(line.protocol, `${line.target} from ${client.begin.vantage}`);
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

  problems(): readonly Problem[] {
    return [...this.#logs.problems(), ...this.#versions.problems()];
  }
}

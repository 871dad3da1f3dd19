import { DurableObject } from "cloudflare:workers";
import { createGuard, guardFetch, type ProviderAccount, problemResponse } from "@evenbench/core";
import { accountsIn, type TailItem } from "./accounts.ts";

// Keeps what Cloudflare accounts to deployed Workers until a client collects it at `/accounts?run=<id>`.

const KEPT_MS = 7 * 24 * 3_600_000;
/** A run may have named more, but no report needs it. */
const MOST_ACCOUNTS = 1_000_000;

interface Environment {
  readonly ACCOUNTS: { getByName(name: string): Pick<Accounts, "add" | "ofRun"> };
}

/** One database for all, because events of one run arrive at many instances of the Tail Worker. */
export class Accounts extends DurableObject {
  readonly #sql = this.ctx.storage.sql;

  constructor(...values: ConstructorParameters<typeof DurableObject>) {
    super(...values);
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS accounts (id TEXT PRIMARY KEY, cpu REAL, wall REAL, at INTEGER)",
    );
    // Each event removes what is old: without this it would read, and be billed for, every row.
    this.#sql.exec("CREATE INDEX IF NOT EXISTS accounts_at ON accounts (at)");
  }

  async add(accounts: readonly ProviderAccount[]): Promise<void> {
    const now = Date.now();
    const insert = "INSERT OR IGNORE INTO accounts VALUES (?, ?, ?, ?)";
    for (const { requestId, cpuMs, wallMs } of accounts) {
      this.#sql.exec(insert, requestId, cpuMs, wallMs, now);
    }
    this.#sql.exec("DELETE FROM accounts WHERE at < ?", now - KEPT_MS);
  }

  async ofRun(run: string): Promise<ProviderAccount[]> {
    const select = "SELECT id, cpu, wall FROM accounts WHERE id >= ? AND id < ? LIMIT ?";
    const rows = this.#sql.exec(select, `${run}/`, `${run}0`, MOST_ACCOUNTS);
    return [...rows].map(({ id, cpu, wall }) => ({
      requestId: String(id),
      cpuMs: Number(cpu),
      wallMs: wall === null ? null : Number(wall),
    }));
  }
}

const collector = {
  async fetch(request: Request, env: Environment): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const run = searchParams.get("run");
    if (pathname !== "/accounts" || run === null || run.length > 100) {
      return problemResponse(404, "Nothing here", "Ask for /accounts?run=<id of the run>.");
    }
    return Response.json(await env.ACCOUNTS.getByName("all").ofRun(encodeURIComponent(run)), {
      headers: { "cache-control": "no-store" },
    });
  },
};

export default {
  ...guardFetch(collector, createGuard(process.env)),
  async tail(items: readonly TailItem[], env: Environment): Promise<void> {
    const accounts = accountsIn(items);
    if (accounts.length > 0) {
      await env.ACCOUNTS.getByName("all").add(accounts);
    }
  },
};

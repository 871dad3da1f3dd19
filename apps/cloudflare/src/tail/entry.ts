import { DurableObject, type DurableObjectContext } from "cloudflare:workers";
import { createGuard, guardFetch, type ProviderAccount, problemResponse } from "@evenbench/core";
import { accountsIn, type TailItem } from "./accounts.ts";

// Keeps what Cloudflare accounts to deployed Workers until a client collects it at `/accounts?run=<id>`.

/** Milliseconds for which accounts are kept: a week. */
const KEPT_MS = 7 * 24 * 3_600_000;
/** Number of a run's accounts that are given at most: no report needs more. */
const MAX_ACCOUNTS = 1_000_000;

/** The bindings of the Tail Worker. */
interface Environment {
  readonly ACCOUNTS: { getByName(name: string): Pick<Accounts, "add" | "ofRun"> };
}

/** Keeps accounts in one database, because events of one run arrive at many instances of the Tail Worker. */
export class Accounts extends DurableObject {
  readonly #sql = this.ctx.storage.sql;

  constructor(context: DurableObjectContext, env: unknown) {
    super(context, env);
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS accounts (id TEXT PRIMARY KEY, cpu REAL, wall REAL, at INTEGER)",
    );
    // Each event removes what is old: without this it would read, and be billed for, every row.
    this.#sql.exec("CREATE INDEX IF NOT EXISTS accounts_at ON accounts (at)");
  }

  /** Adds accounts; one that is there already stays. */
  async add(accounts: readonly ProviderAccount[]): Promise<void> {
    const now = Date.now();
    const insert = "INSERT OR IGNORE INTO accounts VALUES (?, ?, ?, ?)";
    for (const { requestId, cpuMs, wallMs } of accounts) {
      this.#sql.exec(insert, requestId, cpuMs, wallMs, now);
    }
    this.#sql.exec("DELETE FROM accounts WHERE at < ?", now - KEPT_MS);
  }

  /** Gives the accounts of a run, whose requests are named "<run>/…". */
  async ofRun(run: string): Promise<ProviderAccount[]> {
    const select = "SELECT id, cpu, wall FROM accounts WHERE id >= ? AND id < ? LIMIT ?";
    const rows = this.#sql.exec(select, `${run}/`, `${run}0`, MAX_ACCOUNTS);
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

/** The Tail Worker: it takes events, and gives accounts to whoever has the token. */
export default {
  ...guardFetch(collector, createGuard(process.env)),
  async tail(items: readonly TailItem[], env: Environment): Promise<void> {
    const accounts = accountsIn(items);
    if (accounts.length > 0) {
      await env.ACCOUNTS.getByName("all").add(accounts);
    }
  },
};

import { type CaseContext, defineCase, wholeResponse } from "@evenbench/core";
import { connectByNode } from "./connect-node.ts";
import { connectByWorker } from "./connect-worker.ts";
import { createPool, type Pool } from "./pool.ts";
import type { Connection } from "./protocol.ts";

export default defineCase({
  title: "Double-spend check",
  kind: "database",
  description:
    "Asks a real memcached whether a token was spent before, by the text protocol over TCP, with connections from a pool.",
  parameters: {
    command: {
      type: "choice",
      default: "get",
      choices: ["get", "version"],
      description: "get looks a token up; version is the health check.",
    },
    writes: {
      type: "choice",
      default: "joined",
      choices: ["joined", "split"],
      description: "A command as one write, or each of its parts as a write of its own.",
    },
    noDelay: {
      type: "choice",
      default: "on",
      choices: ["on", "off"],
      description: "TCP_NODELAY; Workers always have it on.",
    },
    pool: {
      type: "integer",
      default: 20,
      minimum: 1,
      maximum: 1024,
      description: "Connections in use at a time; Workers cannot share them between requests.",
    },
    holdMs: {
      type: "integer",
      default: 0,
      minimum: 0,
      maximum: 1000,
      description: "How long a connection stays in use after its answer: stands for a slower store.",
    },
  },
  services: ["memcached"],
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 16,
    sha256: "488bbec9c9dafec015689dffa2a5584932ee5318d05b23101e86097845ecac83",
  },
  notSameCode:
    "Node.js shares pooled connections by node:net; a Worker cannot use a socket in another request than the one that opened it, so each check opens its own.",
  async handle(_request, { command, writes, holdMs, ...settings }, context) {
    // As a program that writes them one by one would.
    const parts = command === "get" ? ["get ", `spent:${crypto.randomUUID()}`, "\r\n"] : ["version", "\r\n"];
    const written = writes === "split" ? parts : [parts.join("")];
    const reply = await withConnection(context, settings, async (connection) => {
      const answer = await connection.ask(written);
      if (holdMs > 0) {
        await new Promise((resolve) => setTimeout(resolve, holdMs));
      }
      return answer;
    });
    return wholeResponse(`${JSON.stringify(readReply(reply))}\n`, "application/json");
  },
});

/** Reads what the check says. The version differs by machine, so it is not in the body. */
function readReply(reply: string): { readonly spent: boolean } | { readonly healthy: true } {
  const [word] = reply.split(" ");
  if (word === "VERSION") {
    return { healthy: true };
  }
  if (word === "END" || word === "VALUE") {
    return { spent: word === "VALUE" };
  }
  throw new Error(`memcached answered: ${reply}`);
}

/** Pools of this process, by where they connect to and how. */
const pools = new Map<string, Pool>();

async function withConnection<T>(
  { platform, services }: CaseContext,
  { noDelay, pool }: { readonly noDelay: "on" | "off"; readonly pool: number },
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const options = { address: services?.memcached ?? "", noDelay: noDelay === "on" };
  // A Worker shares no socket with another request.
  if (platform === "cloudflare") {
    const connection = await connectByWorker(options);
    try {
      return await use(connection);
    } finally {
      connection.close();
    }
  }
  const key = `${options.address} ${noDelay} ${pool}`;
  const known = pools.get(key) ?? createPool(pool, () => connectByNode(options));
  pools.set(key, known);
  return known(use);
}

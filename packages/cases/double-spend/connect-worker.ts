import { type Connection, type ConnectOptions, parseReply } from "./protocol.ts";

const encoder = new TextEncoder();

/** Connects by a Worker's TCP sockets. They always have TCP_NODELAY, and no switch for it. */
export async function connectByWorker({ address }: ConnectOptions): Promise<Connection> {
  // Imported only when it is called: no other runtime has the module.
  const { connect } = await import("cloudflare:sockets");
  const socket = connect(address);
  await socket.opened;
  const writer = socket.writable.getWriter();
  const reader = socket.readable.pipeThrough(new TextDecoderStream("latin1")).getReader();
  return {
    async ask(parts) {
      await Promise.all(parts.map((part) => writer.write(encoder.encode(part))));
      for (let received = ""; ; ) {
        const { done, value } = await reader.read();
        if (done) {
          throw new Error("memcached closed the connection.");
        }
        received += value;
        const reply = parseReply(received);
        if (reply !== null) {
          return reply;
        }
      }
    },
    close: () => void socket.close().catch(() => {}),
  };
}

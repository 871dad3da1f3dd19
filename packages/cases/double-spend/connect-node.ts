import { connect } from "node:net";
import { ANSWERS_WITHIN_MS, type Connection, type ConnectOptions, parseReply } from "./protocol.ts";

/** Connects by node:net. */
export function connectByNode({ address, noDelay }: ConnectOptions): Promise<Connection> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const socket = connect({ host: hostname, port: Number(port), noDelay });
  let received = "";
  let settle: PromiseWithResolvers<string> | null = null;

  const fail = (error: Error): void => {
    reject(error);
    settle?.reject(error);
    settle = null;
    socket.destroy();
  };
  const connection: Connection = {
    ask(parts) {
      if (socket.destroyed) {
        throw new Error("The connection to memcached is closed.");
      }
      received = "";
      settle = Promise.withResolvers<string>();
      socket.setTimeout(ANSWERS_WITHIN_MS);
      for (const part of parts) {
        socket.write(part, "latin1");
      }
      return settle.promise;
    },
    close: () => socket.destroy(),
  };
  socket
    .setEncoding("latin1")
    .once("connect", () => resolve(connection))
    .on("data", (text: string) => {
      received += text;
      const reply = parseReply(received);
      if (reply === null) {
        return;
      }
      socket.setTimeout(0);
      settle?.resolve(reply);
      settle = null;
    })
    .on("timeout", () => fail(new Error("memcached did not answer in time.")))
    .on("error", fail)
    .on("close", () => fail(new Error("memcached closed the connection.")));
  return promise;
}

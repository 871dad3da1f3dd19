import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between a client and a target, and makes the way longer by a known time. */
export interface DelayProxy extends AsyncDisposable {
  readonly origin: string;
}

/**
 * A proxy that holds back all that the target sends by a fixed time. One queue for each connection keeps bytes in order: a timer for each chunk would
 * not, where two end in one turn of the loop.
 *
 * @param delayMs from a chunk's arrival here to its departure.
 */
export async function startDelayProxy(target: string, delayMs: number): Promise<DelayProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true));
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    client.pipe(upstream);
    upstream.on("close", () => client.destroy());
    holdBack(upstream, client, delayMs);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function holdBack(from: Socket, to: Socket, delayMs: number): void {
  const queue: { readonly chunk: Buffer; readonly leavesAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    timer = undefined;
    while (queue[0] !== undefined && queue[0].leavesAt <= performance.now()) {
      to.write((queue.shift() as { chunk: Buffer }).chunk);
    }
    wait();
  };
  const wait = () => {
    const [next] = queue;
    if (next !== undefined) timer ??= setTimeout(send, Math.max(0, next.leavesAt - performance.now()));
  };
  from.on("data", (chunk: Buffer) => {
    queue.push({ chunk, leavesAt: performance.now() + delayMs });
    wait();
  });
  to.on("close", () => clearTimeout(timer));
}

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between a client and a target, and makes the way longer by a known time. */
export interface DelayProxy extends AsyncDisposable {
  readonly origin: string;
}

/**
 * A proxy that holds back all that the target sends by a fixed time. One queue for each connection keeps
 * bytes in order: a timer for each chunk would not, where two end in one turn of the loop.
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
      socket.on("close", () => sockets.delete(socket));
    }
    client.pipe(upstream);
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
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

/** What is to leave, and when; null is the end of the connection, which must not overtake its bytes. */
interface Held {
  readonly chunk: Buffer | null;
  readonly leavesAt: number;
}

function holdBack(from: Socket, to: Socket, delayMs: number): void {
  const queue: Held[] = [];
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    timer = undefined;
    for (let next = queue[0]; next !== undefined && next.leavesAt <= performance.now(); next = queue[0]) {
      queue.shift();
      if (next.chunk === null) to.end();
      else to.write(next.chunk);
    }
    wait();
  };
  const wait = () => {
    const [next] = queue;
    if (next !== undefined) timer ??= setTimeout(send, Math.max(0, next.leavesAt - performance.now()));
  };
  const hold = (chunk: Buffer | null) => {
    queue.push({ chunk, leavesAt: performance.now() + delayMs });
    wait();
  };
  from.on("data", hold).on("end", () => hold(null));
  to.on("close", () => clearTimeout(timer));
}

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a recorder got. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer<ArrayBuffer>;
}

/** A status, and the value that is sent as JSON with it. */
export type Answer = readonly [status: number, json: unknown];

/** A server that stands in for a platform's API until it is disposed of. */
export interface Recorder extends AsyncDisposable {
  /** The server's origin on the loopback interface. */
  readonly url: string;
  /** All requests so far, in the order in which they were complete. */
  readonly requests: readonly RecordedRequest[];
}

/** Starts a server that stands in for a platform's API. A promise of `answer` holds the answer back. */
export async function startRecorder(
  answer: (request: RecordedRequest) => Answer | Promise<Answer>,
): Promise<Recorder> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = "GET", url: path = "/" } = incoming;
    const headers = new Headers(incoming.headers as Record<string, string>);
    const request = { method, path, headers, body: Buffer.concat(await incoming.toArray()) };
    requests.push(request);
    const [status, json] = await answer(request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer<ArrayBuffer>;
}

export type Answer = readonly [status: number, json: unknown];
export type Recorder = Awaited<ReturnType<typeof startRecorder>>;

/** Stands in for a platform's API. A promise holds the answer back. */
export async function startRecorder(answer: (request: RecordedRequest) => Answer | Promise<Answer>) {
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

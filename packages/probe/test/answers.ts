import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";
import { maskedDigest } from "../src/body.ts";
import type { Expectation } from "../src/rules.ts";

/** Makes a server listen on a free port until the test is over. @returns its origin. */
export async function listen(server: Server | HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    if ("closeAllConnections" in server) {
      server.closeAllConnections();
    }
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Gives what is expected of a target that answers with this text. */
export function expectedOf(body: string | Uint8Array): Expectation {
  const bytes = Buffer.from(body);
  const text = { status: 200, contentType: "text/plain", masks: [], variation: null, isPage: false };
  return { ...text, bytes: bytes.length, sha256: maskedDigest(bytes) };
}

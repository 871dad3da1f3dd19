import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { type CaseManifest, type Identity, MANIFEST_DEFAULTS } from "@evenbench/core";
import { maskedDigest } from "../../src/index.ts";
import type { PreflightOptions } from "../../src/preflight/options.ts";
import { preflight } from "../../src/preflight/preflight.ts";
import { listen } from "../listen.ts";

export const BODY = `<p>${"x".repeat(500)}</p>`;
const PINS = {
  "nodeEnv.artifact": "production",
  "nodeEnv.runtime": "production",
  artifact: "aaaa",
  "greet.react": "19.3.1",
};

export const greet: CaseManifest = {
  ...MANIFEST_DEFAULTS,
  id: "greet",
  path: "/greet",
  title: "Greet",
  description: "A page.",
  golden: {
    status: 200,
    contentType: "text/html",
    bytes: BODY.length,
    sha256: maskedDigest(Buffer.from(BODY)),
  },
};

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A page, or what is said of it. */
export function sends(
  body: string | Uint8Array | (() => string),
  headers: OutgoingHttpHeaders = {},
  status = 200,
): Answer {
  return (response) =>
    void response
      .writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers })
      .end(typeof body === "function" ? body() : body);
}

export interface Oddity {
  readonly pins?: Record<string, string>;
  readonly answer?: Answer;
  readonly listener?: RequestListener;
}

/** A real server that serves the case `greet` and an identity, with what is odd about it. */
export async function target(name: string, { pins = {}, answer = sends(BODY), listener }: Oddity = {}) {
  const identity: Identity = {
    schemaVersion: 1,
    app: "bundle",
    platform: name,
    instance: { id: "0123456789abcdef", served: 0 },
    pins: { ...PINS, ...pins },
    facts: {},
  };
  const server = createServer(
    listener ??
      ((request, response) =>
        request.url === "/identity" ? response.end(JSON.stringify(identity)) : answer(response, request)),
  );
  const url = await listen(server);
  const close = () => new Promise((resolve) => server.close(resolve));
  return { name, url, close };
}

/** A sound target "node" beside one that is odd. */
export async function beside(
  oddity: Oddity,
  { sound, ...options }: Partial<PreflightOptions> & { readonly sound?: Oddity } = {},
) {
  const targets = [await target("node", sound), await target("odd", oddity)];
  return preflight({ targets, cases: [greet], ...options });
}

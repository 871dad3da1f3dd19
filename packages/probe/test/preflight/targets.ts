import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { type CaseManifest, type Identity, MANIFEST_DEFAULTS } from "@evenbench/core";
import { maskedDigest } from "../../src/index.ts";
import type { PreflightOptions, PreflightResult } from "../../src/preflight/options.ts";
import { preflight } from "../../src/preflight/preflight.ts";
import { listen } from "../answers.ts";

/** The body of the case `greet`. */
export const BODY = `<p>${"x".repeat(500)}</p>`;
const PINS = {
  "nodeEnv.artifact": "production",
  "nodeEnv.runtime": "production",
  artifact: "aaaa",
  "greet.react": "19.3.1",
};

/** A case of one constant page, with its golden values. */
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

/** Answers one request. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Makes an answer with this body, as a page unless `headers` say otherwise. */
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

/** The difference of a target from a sound one. */
export interface Oddity {
  /** Id of its app. Default: "bundle". */
  readonly app?: string;
  /** Settings that it has instead, or besides. */
  readonly pins?: Record<string, string>;
  /** Answers the case. Default: with `BODY`. */
  readonly answer?: Answer;
  /** Answers all requests in its place. */
  readonly listener?: RequestListener;
}

/** A target of a test. */
export interface TestTarget {
  readonly name: string;
  /** The target's origin. */
  readonly url: string;
  /** Ends it before the test is over. */
  close(): Promise<unknown>;
}

/** A real server that serves the case `greet` and an identity, with what is odd about it. */
export async function target(
  name: string,
  { app = "bundle", pins = {}, answer = sends(BODY), listener }: Oddity = {},
): Promise<TestTarget> {
  const identity: Identity = {
    schemaVersion: 1,
    app,
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

/** Runs preflight on a sound target "node" beside one that is odd. */
export async function beside(
  oddity: Oddity,
  { sound, ...options }: Partial<PreflightOptions> & { readonly sound?: Oddity } = {},
): Promise<PreflightResult> {
  const targets = [await target("node", sound), await target("odd", oddity)];
  return preflight({ targets, cases: [greet], laterMs: 0, ...options });
}

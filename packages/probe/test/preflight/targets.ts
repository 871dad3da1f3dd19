import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { type CaseManifest, type Identity, UNDECLARED } from "@evenbench/core";
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
  ...UNDECLARED,
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

export interface Oddity {
  readonly pins?: Record<string, string>;
  readonly answer?: (response: ServerResponse) => void;
  readonly listener?: RequestListener;
}

/** A real server that serves the case `greet` and an identity, with what is odd about it. */
export async function target(name: string, { pins = {}, answer, listener }: Oddity = {}) {
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
      ((request, response) => {
        if (request.url === "/identity") response.end(JSON.stringify(identity));
        else if (answer) answer(response);
        else html(response).end(BODY);
      }),
  );
  const url = await listen(server);
  const close = () => new Promise((resolve) => server.close(resolve));
  return { name, url, close };
}

export function html(response: ServerResponse): ServerResponse {
  return response.setHeader("content-type", "text/html; charset=utf-8");
}

/** A sound target "node" beside one that is odd. */
export async function beside(oddity: Oddity, options: Partial<PreflightOptions> = {}) {
  const targets = [await target("node"), await target("odd", oddity)];
  return preflight({ targets, cases: [greet], ...options });
}

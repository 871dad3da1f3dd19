import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createGuard, type Guard, sendRefusal } from "@evenbench/core";

/** Answers to requests without a server's help, by the event that brings the request. */
const ANSWERS: Readonly<Record<string, typeof sendRefusal | typeof refuseSocket>> = {
  request: sendRefusal,
  checkContinue: sendRefusal,
  checkExpectation: sendRefusal,
  upgrade: refuseSocket,
  connect: refuseSocket,
};

const guard = createGuard(process.env);
if (guard !== null) {
  guardServers(guard);
}

// Behind all that is defined here: a server may listen, and be asked, before this import ends.
await import("#behind/server");

/** Puts the guard in front of all servers of this process, whoever makes them. */
function guardServers(refusalOf: Guard): void {
  const emit: (this: Server, event: string, ...values: unknown[]) => boolean = Server.prototype.emit;
  Server.prototype.emit = function (this: Server, event: string, ...values: unknown[]): boolean {
    const answer = ANSWERS[event];
    if (answer === undefined) {
      return emit.call(this, event, ...values);
    }
    const [request, to] = values as [IncomingMessage, ServerResponse & Duplex];
    const refusal = refusalOf({ authorization: request.headers.authorization, url: request.url ?? "" });
    if (refusal === null) {
      return emit.call(this, event, ...values);
    }
    answer(refusal, request, to);
    return true;
  };
}

function refuseSocket({ status }: Response, _request: IncomingMessage, socket: Duplex): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

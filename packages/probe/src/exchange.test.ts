import { errors } from "undici";
import { expect, test } from "vitest";
import { classifyFailure } from "./exchange.ts";

test("an error of the client's library is named with its code, and without one where it has none", () => {
  const message = "Response does not match the HTTP/1.1 protocol";
  const { HTTPParserError, SocketError } = errors;
  expect(classifyFailure(new HTTPParserError(message))).toEqual({ kind: "connection", detail: message });
  expect(classifyFailure(new SocketError("other side closed"))).toEqual({
    kind: "connection",
    detail: "other side closed (UND_ERR_SOCKET)",
  });
});

import { errors } from "undici";
import { expect, test } from "vitest";
import { classifyFailure } from "./exchange.ts";

test("an error of the client's library is told as what the server did", () => {
  const { HTTPParserError, SocketError } = errors;
  const detailOf = (error: Error) => classifyFailure(error).detail;
  expect(detailOf(new HTTPParserError("Response does not match the HTTP/1.1 protocol (x)"))).toMatch(
    /^it .*x/,
  );
  expect(detailOf(new SocketError("other side closed"))).toMatch(/^it closed the connection/);
});

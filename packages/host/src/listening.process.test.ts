import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { isOpenToOthers } from "./listening.ts";

test.runIf(process.platform === "linux").each([
  ["127.0.0.1", false],
  ["127.0.0.2", false],
  ["::1", false],
  ["::ffff:127.0.0.1", false],
  ["0.0.0.0", true],
  ["::", true],
])("a server that listens on %s can be reached by others: %s", async (address, isOpen) => {
  const server = createServer().listen(0, address);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  expect(isOpenToOthers((server.address() as AddressInfo).port)).toBe(isOpen);
});

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { isOpenToOthers, listeningOf } from "./listening.ts";

test.runIf(process.platform === "linux").each([
  ["127.0.0.1", "127.0.0.1", false, false],
  ["127.0.0.2", "127.0.0.2", false, true],
  ["::1", "[::1]", false, true],
  ["::ffff:127.0.0.1", "[::ffff:7f00:1]", false, false],
  ["0.0.0.0", "0.0.0.0", true, false],
  ["::", "[::]", true, false],
])("where a server listens is read: on %s", async (address, host, isOpen, isElsewhere) => {
  const server = createServer().listen(0, address);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(isOpenToOthers(port)).toBe(isOpen);
  const found = listeningOf(() => [process.pid], port);
  const addresses = expect.arrayContaining([`${host}:${port}`]);
  expect(found).toEqual({ addresses, isElsewhere, isTaken: false });
  expect(listeningOf(() => [], port).isTaken).toBe(!isElsewhere);
});

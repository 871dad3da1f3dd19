import { expect, test } from "vitest";
import { capnpText } from "./capnp.ts";

test("values are written as Cap'n Proto reads them", () => {
  const value = {
    name: 'say "hi"\u0001',
    data: new Uint8Array([0, 255]),
    writable: true,
    list: [1, { inner: Symbol("void") }],
    none: undefined,
  };
  expect(capnpText(value)).toBe(
    '(name = "say \\"hi\\"\\x01", data = 0x"00ff", writable = true, list = [1, (inner = void)])',
  );
});

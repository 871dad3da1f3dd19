import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import empty from "./case.ts";

test("the answer is what its golden values say: a status and no body", async () => {
  const response = await empty.handle(new Request("http://localhost/empty"), {}, { platform: "node" });
  expect(response.status).toBe(empty.golden?.status);
  expect(response.body).toBeNull();
  expect(
    createHash("sha256")
      .update(await response.bytes())
      .digest("hex"),
  ).toBe(empty.golden?.sha256);
});

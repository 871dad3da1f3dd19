import { expect, test } from "vitest";
import awaitedData from "./case.ts";

const respond = (wait: number, rows: number) =>
  awaitedData.handle(new Request("http://localhost/awaited-data"), { wait, rows }, { platform: "node" });

test("the page has a row for each order and their total, and comes in parts", async () => {
  const parts: string[] = [];
  for await (const part of (await respond(0, 25)).body ?? []) {
    parts.push(new TextDecoder().decode(part));
  }
  const html = parts.join("");
  expect(parts).toHaveLength(12);
  expect(html.match(/<tr>/g)).toHaveLength(25);
  expect(html).toContain("<title>Orders of Ada &#38; Sons</title>");
  const cents = Array.from({ length: 25 }, (_, index) => (index * 7919) % 100_000);
  const total = cents.reduce((sum, value) => sum + value, 0);
  expect(html).toContain(`<p>Total: ${(total / 100).toFixed(2)} EUR</p>`);
});

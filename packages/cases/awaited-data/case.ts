import { defineCase } from "@evenbench/core";

/** Parts in which the table is sent. */
const PARTS = 10;

export default defineCase({
  title: "A page that awaits its data",
  kind: "awaited data",
  description:
    "Waits for two data sources one after the other, then streams a table in ten parts. Waiting is no CPU time.",
  parameters: {
    wait: {
      type: "integer",
      default: 20,
      minimum: 0,
      maximum: 1000,
      description: "Milliseconds until each of the two sources answers.",
    },
    rows: {
      type: "integer",
      default: 1000,
      minimum: 10,
      maximum: 20_000,
      description: "Rows of the table.",
    },
  },
  golden: {
    status: 200,
    contentType: "text/html",
    bytes: 53032,
    sha256: "3a6aaab7d2d3a51f059472d07b30131549f3142b7a57f942c38890b94637606f",
  },
  async handle(_request, { wait, rows }) {
    const account = await fetchAccount(wait);
    // What is asked for here depends on the answer before: no page can ask for both at once.
    const orders = await fetchOrders(account, rows, wait);
    return new Response(streamOf(page(account, orders)), {
      headers: { "content-type": "text/html; charset=utf-8" },
    });
  },
});

/** The answer of the first source. */
interface Account {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
}

/** An entry of the list that the second source answers with. */
interface Order {
  readonly number: number;
  readonly cents: number;
  readonly items: number;
}

/** A source that somebody else computes: here it only takes its time. */
async function fetchAccount(waitMs: number): Promise<Account> {
  await answered(waitMs);
  return { id: 7, name: "Ada & Sons", currency: "EUR" };
}

async function fetchOrders({ id }: Account, count: number, waitMs: number): Promise<readonly Order[]> {
  await answered(waitMs);
  return Array.from({ length: count }, (_, index) => ({
    number: id * 100_000 + index,
    cents: (index * 7919) % 100_000,
    items: 1 + (index % 9),
  }));
}

function answered(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

const encoder = new TextEncoder();

/** Streams texts as they are asked for. */
function streamOf(texts: Generator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const { done, value } = texts.next();
      if (done === true) {
        controller.close();
      } else {
        controller.enqueue(encoder.encode(value));
      }
    },
  });
}

/** The page's HTML: its head, its rows in {@link PARTS} parts, and its total. */
function* page({ name, currency }: Account, orders: readonly Order[]): Generator<string> {
  const escaped = name.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  yield `<!doctype html><html lang="en"><head><title>Orders of ${escaped}</title></head><body><table>`;
  for (let part = 0; part < PARTS; part++) {
    const from = Math.floor((part * orders.length) / PARTS);
    const to = Math.floor(((part + 1) * orders.length) / PARTS);
    yield orders
      .slice(from, to)
      .map((order) => row(order, currency))
      .join("");
  }
  const total = orders.reduce((sum, { cents }) => sum + cents, 0);
  yield `</table><p>Total: ${(total / 100).toFixed(2)} ${currency}</p></body></html>\n`;
}

function row({ number, cents, items }: Order, currency: string): string {
  return `<tr><td>${number}</td><td>${items}</td><td>${(cents / 100).toFixed(2)} ${currency}</td></tr>`;
}

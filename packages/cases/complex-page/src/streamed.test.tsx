// React itself streams here: what it makes different from time to time is what the normal form has to take out.
import { maskBody } from "@evenbench/core";
import { Suspense, use } from "react";
import { renderToReadableStream } from "react-dom/server.edge";
import { expect, test } from "vitest";
import { COMPLEX_PAGE, computeSection, fibonacciNumbers, primesUpTo } from "./page.ts";
import { Part } from "./react.tsx";

const primes = primesUpTo(COMPLEX_PAGE.primeLimit);
const fibonacci = fibonacciNumbers(10);
const variation = { reason: "", normalForm: "react-stream", lengthWithin: 0.05 } as const;
const normal = (body: string) => maskBody(body, { masks: [], variation });

function Late({ index, ready }: { readonly index: number; readonly ready: Promise<void> | undefined }) {
  if (ready !== undefined) {
    use(ready);
  }
  const section = { ...computeSection(index, COMPLEX_PAGE, primes), items: [] };
  return <Part section={section} fibonacci={fibonacci} />;
}

/** A page of parts of which each is ready after its own time, as a real browser would get it. */
async function streamed(readyAfterMs: readonly number[], title = "A title"): Promise<string> {
  const parts = readyAfterMs.map((ms) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  const page = (
    <html lang="en">
      <body>
        <h1>{title}</h1>
        {readyAfterMs.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
          <Suspense key={index} fallback={<p>{`Part ${index} is not ready`}</p>}>
            <Late index={index} ready={parts[index]} />
          </Suspense>
        ))}
      </body>
    </html>
  );
  return new Response(await renderToReadableStream(page)).text();
}

test("one page that came in other pieces and in another order has one normal form", async () => {
  const first = await streamed([5, 40, 80]);
  const second = await streamed([80, 40, 5]);
  expect(first).not.toBe(second);
  expect(normal(first)).toBe(normal(second));
  expect(normal(first)).not.toContain("is not ready");
  expect(normal(first).indexOf("Part 1<")).toBeLessThan(normal(first).indexOf("Part 3<"));
});

test("another text, a missing part and one that never came are seen", async () => {
  const whole = normal(await streamed([5, 10, 15]));
  expect(normal(await streamed([5, 10, 15], "Another title"))).not.toBe(whole);
  expect(normal(await streamed([5, 10]))).not.toBe(whole);
  const body = await streamed([5, 10, 15]);
  const cut = body.slice(0, body.indexOf('<div hidden id="S:2">'));
  expect(normal(cut)).toContain("is not ready");
  expect(normal(cut)).not.toBe(whole);
});

test("flight data are compared by their texts, however they were cut into scripts", () => {
  const push = (text: string) => `<script>self.__next_f.push([1,${JSON.stringify(text)}])</script>`;
  const page = (...flight: string[]) => `<html><body><p>x</p>${flight.map(push).join("")}</body></html>`;
  const whole = page('1:["$","p",null,{"children":"one"}]\n2:["$","p",null,{"children":"two"}]\n');
  const cut = page('2:["$","p",null,{"chil', 'dren":"two"}]\n1:["$","p",null,{"children":"one"}]\n');
  expect(normal(cut)).toBe(normal(whole));
  expect(normal(page('1:["$","p",null,{"children":"one"}]\n'))).not.toBe(normal(whole));
});

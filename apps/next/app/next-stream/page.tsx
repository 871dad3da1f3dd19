import { inFlightUntil } from "@evenbench/bundle/framework";
import {
  COMPLEX_PAGE,
  computeCells,
  computeSection,
  fibonacciNumbers,
  primesUpTo,
} from "@evenbench/complex-page";
import { Factorials, Part } from "@evenbench/complex-page/react";
import { Suspense } from "react";
import { RenderMarker } from "../../src/render-marker.tsx";

/** The pin: rendered anew for each request, on every platform. Preflight proves it. */
export const dynamic = "force-dynamic";

const PARTS = 10;
/** Each part starts so much after the one before it: enough that the shell has left before any of them computes. */
const PAUSE_MS = 5;
const SECTIONS_PER_PART = COMPLEX_PAGE.sectionCount / PARTS;
const CELLS_PER_PART = COMPLEX_PAGE.cellCount / PARTS;

/** The case "next-stream": a page whose parts are rendered one after the other and sent as they are ready. */
export default function Page() {
  return (
    <>
      <RenderMarker />
      <main>
        {Array.from({ length: PARTS }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
          <Suspense key={index} fallback={<p>{`Part ${index + 1} of ${PARTS} is being computed`}</p>}>
            <LatePart index={index} />
          </Suspense>
        ))}
      </main>
    </>
  );
}

async function LatePart({ index }: { readonly index: number }) {
  await inFlightUntil(new Promise((resolve) => setTimeout(resolve, (index + 1) * PAUSE_MS)));
  const primes = primesUpTo(COMPLEX_PAGE.primeLimit);
  const fibonacci = fibonacciNumbers(COMPLEX_PAGE.fibonacciCount);
  const first = index * SECTIONS_PER_PART;
  const sections = Array.from({ length: SECTIONS_PER_PART }, (_, offset) =>
    computeSection(first + offset, COMPLEX_PAGE, primes),
  );
  const cells = computeCells(COMPLEX_PAGE.cellCount).slice(
    index * CELLS_PER_PART,
    (index + 1) * CELLS_PER_PART,
  );
  return (
    <>
      {sections.map((section) => (
        <Part key={section.index} section={section} fibonacci={fibonacci} />
      ))}
      <Factorials cells={cells} />
    </>
  );
}

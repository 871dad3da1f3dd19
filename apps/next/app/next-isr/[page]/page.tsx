import LandingPage, { metadata } from "../../next-landing/page.tsx";

/** Seconds for which a rendering is kept. Next.js reads it in this file, as a literal. */
export const revalidate = 1;

export { metadata };

/** Names the pages that the build renders: none, so that the first request to each instance is a miss everywhere. */
export function generateStaticParams(): readonly never[] {
  return [];
}

/** The case "next-isr": the page of the case "next-landing", rendered at most once a second (ISR). */
export default LandingPage;

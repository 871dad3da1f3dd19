import { computePage } from "@evenbench/complex-page";
import { ComplexPage } from "@evenbench/complex-page/react";
import { RenderMarker } from "../../src/render-marker.tsx";

/** The pin: rendered anew for each request, on every platform. Preflight proves it. */
export const dynamic = "force-dynamic";

/** The case "next-page-large": the whole document of packages/cases/complex-page. */
export default function Page() {
  return (
    <>
      <RenderMarker />
      <ComplexPage data={computePage()} />
    </>
  );
}

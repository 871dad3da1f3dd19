import type { Metadata } from "next";
import type { ReactNode } from "react";

/** The pin, for every page below: rendered anew for each request, on every platform. Preflight proves it. */
export const dynamic = "force-dynamic";

/** Metadata of all pages. */
export const metadata: Metadata = { title: "Evenbench" };

/** Layout of all pages. */
export default function RootLayout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}

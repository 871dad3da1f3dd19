import type { Metadata } from "next";
import type { ReactNode } from "react";

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

import { volatile } from "@evenbench/core";
import type { CSSProperties, ReactElement } from "react";
import type { PageCell, PageData, PageItem, PageSection } from "./page.ts";

const page: CSSProperties = { margin: 0, padding: 24, fontFamily: "system-ui,sans-serif", color: "#1d2329" };
const header: CSSProperties = { padding: 16, borderBottom: "2px solid #17423a" };
const part: CSSProperties = { padding: 16, borderBottom: "1px solid #d5dbe1" };
const heading: CSSProperties = { fontSize: 20, margin: "0 0 8px" };
const smallHeading: CSSProperties = { fontSize: 15, margin: "8px 0" };
const chip: CSSProperties = {
  display: "inline-block",
  padding: "4px 8px",
  margin: 2,
  background: "#e8f1ee",
  fontSize: 12,
};
const number: CSSProperties = {
  display: "inline-block",
  padding: "4px 8px",
  margin: 2,
  background: "#f3eee2",
  fontSize: 12,
};
const list: CSSProperties = { listStyle: "none", margin: 0, padding: 0 };
const entry: CSSProperties = { padding: 10, margin: "6px 0", border: "1px solid #d5dbe1", borderRadius: 6 };
const field: CSSProperties = { display: "block", padding: "2px 0", fontSize: 13, color: "#3c4650" };
const cell: CSSProperties = {
  display: "inline-block",
  width: 120,
  padding: 8,
  margin: 3,
  border: "1px solid #d5dbe1",
};
const cellNumber: CSSProperties = { display: "block", fontSize: 14 };
const cellValue: CSSProperties = { fontSize: 12 };

/** The whole document: `ComplexPage` in an <html> element. */
export function ComplexDocument({ data }: { readonly data: PageData }): ReactElement {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>Complex page</title>
      </head>
      <body style={page}>
        <ComplexPage data={data} />
      </body>
    </html>
  );
}

/** The contents of <body>: header, parts, factorials and footer. */
export function ComplexPage({ data }: { readonly data: PageData }): ReactElement {
  return (
    <>
      <PageHeader data={data} />
      <main>
        {data.sections.map((section) => (
          <Part key={section.index} section={section} fibonacci={data.fibonacci} />
        ))}
        <Factorials cells={data.cells} />
      </main>
      <footer style={part}>{`Rendered at ${volatile(data.renderedAt)}`}</footer>
    </>
  );
}

function PageHeader({ data }: { readonly data: PageData }): ReactElement {
  return (
    <header style={header}>
      <h1 style={heading}>Numbers on a page</h1>
      <p style={field}>{`Primes found: ${data.primeCount}`}</p>
      <p
        style={field}
      >{`Fibonacci numbers: ${data.fibonacci.length}, on average ${data.fibonacciAverage}`}</p>
      <p style={field}>{`Parts: ${data.sections.length}`}</p>
    </header>
  );
}

/** A part of the page: its primes and entries, and the Fibonacci numbers, which all parts share. */
export function Part(props: {
  readonly section: PageSection;
  readonly fibonacci: readonly number[];
}): ReactElement {
  const { section, fibonacci } = props;
  return (
    <section style={part}>
      <h2 style={heading}>{`Part ${section.index + 1}`}</h2>
      <h3 style={smallHeading}>Primes</h3>
      <div>
        {section.primes.map((prime) => (
          <span key={prime} style={chip}>
            {prime}
          </span>
        ))}
      </div>
      <h3 style={smallHeading}>Fibonacci numbers</h3>
      <div>
        {fibonacci.map((value, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: F(1) = F(2), and the list never changes.
          <span key={index} style={number}>{`F${index} = ${value}`}</span>
        ))}
      </div>
      <h3 style={smallHeading}>Entries</h3>
      <ul style={list}>
        {section.items.map((item) => (
          <Entry key={item.index} item={item} section={section.index} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ item, section }: { readonly item: PageItem; readonly section: number }): ReactElement {
  return (
    <li style={entry}>
      <strong style={cellNumber}>{`Entry ${item.index}`}</strong>
      <small style={field}>{`Number ${section}-${item.index}`}</small>
      <p style={field}>{item.description}</p>
      <span style={field}>{`Root: ${item.root}`}</span>
      <span style={field}>{`Code: ${item.code}`}</span>
      <span style={field}>{`Wave: ${item.wave}`}</span>
      <time style={field}>{`At ${volatile(item.timestamp)}`}</time>
    </li>
  );
}

/** The last section of the page: factorials, a cell for each. */
export function Factorials({ cells }: { readonly cells: readonly PageCell[] }): ReactElement {
  return (
    <section style={part}>
      <h2 style={heading}>Factorials</h2>
      {cells.map(({ n, factorial }) => (
        <div key={n} style={cell}>
          <strong style={cellNumber}>{n}</strong>
          <span style={cellValue}>{factorial}</span>
        </div>
      ))}
    </section>
  );
}

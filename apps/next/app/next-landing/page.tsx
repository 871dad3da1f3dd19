import {
  ADDRESS,
  DESCRIPTION,
  type Feature,
  features,
  plans,
  questions,
  rows,
  steps,
  structuredData,
  TITLE,
  voices,
} from "@evenbench/landing-page";
import * as style from "@evenbench/landing-page/styles";
import type { Metadata } from "next";
import { RenderMarker } from "../../src/render-marker.tsx";

/** The pin: rendered anew for each request, on every platform. Preflight proves it. */
export const dynamic = "force-dynamic";

/** Metadata of the page, as a landing page has them. */
export const metadata: Metadata = {
  metadataBase: new URL(ADDRESS),
  title: TITLE,
  description: DESCRIPTION,
  openGraph: { title: TITLE, description: DESCRIPTION, url: ADDRESS, siteName: "Evenbench", type: "website" },
  twitter: { card: "summary", title: TITLE, description: DESCRIPTION },
};

/** The case "next-landing": the page of a product, rendered for each request. */
export default function LandingPage() {
  return (
    <>
      <RenderMarker />
      <script type="application/ld+json">{JSON.stringify(structuredData)}</script>
      <header style={style.header}>
        <strong style={style.brand}>Evenbench</strong>
        <nav aria-label="Sections">
          {["features", "steps", "cases", "plans", "questions"].map((id) => (
            <a key={id} href={`#${id}`} style={style.link}>
              {id}
            </a>
          ))}
        </nav>
      </header>
      <main style={style.main}>
        <section style={style.hero}>
          <h1 style={style.title}>{TITLE}</h1>
          <p style={style.lead}>{DESCRIPTION}</p>
          <a href="#steps" style={style.button}>
            Begin in two commands
          </a>
        </section>
        <Cards id="features" title="What it does" items={features} />
        <Cards id="steps" title="How it goes" items={steps} />
        <section id="cases" style={style.section}>
          <h2 style={style.heading}>What is measured</h2>
          <table style={style.table}>
            <tbody>
              {rows.map((cells) => (
                <tr key={cells[0]}>
                  {cells.map((cell) => (
                    <td key={cell} style={style.cell}>
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <section style={style.section}>
          <h2 style={style.heading}>What people say</h2>
          <div style={style.grid}>
            {voices.map(({ words, who }) => (
              <figure key={words} style={style.card}>
                <blockquote style={style.words}>{words}</blockquote>
                <figcaption style={style.text}>{who}</figcaption>
              </figure>
            ))}
          </div>
        </section>
        <section id="plans" style={style.section}>
          <h2 style={style.heading}>What it costs</h2>
          <div style={style.grid}>
            {plans.map(({ name, price, points }) => (
              <article key={name} style={style.card}>
                <h3 style={style.cardTitle}>{name}</h3>
                <p style={style.words}>{price}</p>
                <ul style={style.list}>
                  {points.map((point) => (
                    <li key={point} style={style.text}>
                      {point}
                    </li>
                  ))}
                </ul>
              </article>
            ))}
          </div>
        </section>
        <Cards id="questions" title="What people ask" items={questions} />
      </main>
      <footer style={style.header}>Free software. Measure, and tell us what we got wrong.</footer>
    </>
  );
}

function Cards(props: { readonly id: string; readonly title: string; readonly items: readonly Feature[] }) {
  const { id, title, items } = props;
  return (
    <section id={id} style={style.section}>
      <h2 style={style.heading}>{title}</h2>
      <div style={style.grid}>
        {items.map((item) => (
          <article key={item.title} style={style.card}>
            <h3 style={style.cardTitle}>{item.title}</h3>
            <p style={style.text}>{item.text}</p>
          </article>
        ))}
      </div>
    </section>
  );
}

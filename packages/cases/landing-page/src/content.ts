/** Title of the landing page, for its heading and its <title>. */
export const TITLE = "Evenbench: the same JavaScript, measured evenly";
/** Description of the landing page, for search engines and previews. */
export const DESCRIPTION =
  "How one source runs on Workers, functions and a cluster: measured side by side, with intervals and a control.";
/** Address that the page says is its own. Nothing is there: "example" is a reserved name (RFC 2606). */
export const ADDRESS = "https://evenbench.example/";

/** A heading with a text. */
export interface Feature {
  readonly title: string;
  readonly text: string;
}

/** A quotation, and who said it. */
export interface Voice {
  readonly words: string;
  readonly who: string;
}

/** A plan that nobody can buy. */
export interface Plan {
  readonly name: string;
  readonly price: string;
  readonly points: readonly string[];
}

/** The features that the page lists. */
export const features: readonly Feature[] = [
  {
    title: "One source, three runtimes",
    text: "The same files are served by a Worker, by a function and by a cluster of processes, and a digest proves it.",
  },
  {
    title: "Rounds, not batches",
    text: "Every round asks each target once, in random order, so that a busy minute hurts all of them alike.",
  },
  {
    title: "A twin for control",
    text: "The baseline runs twice. What differs between the two is what this machine calls a difference today.",
  },
  {
    title: "The whole body counts",
    text: "The clock stops at the last byte. A first byte that comes early is a second number, never the only one.",
  },
  {
    title: "Pins before numbers",
    text: "Settings that change the work are compared first. Where they differ, nothing is measured, and both values are shown.",
  },
  {
    title: "Nothing is thrown away",
    text: "Each exchange is a line in a file from the moment it ends. An interrupted run keeps what it has.",
  },
  {
    title: "Fresh processes",
    text: "Two processes of one build are never quite alike. Several sets of new ones take that out of the comparison.",
  },
  {
    title: "Intervals, not points",
    text: "A ratio comes with the range in which it lies, and with a word for what that range allows to say.",
  },
  {
    title: "Errors are results",
    text: "A truncated page, a wrong length, a refused connection: each is counted, named and kept apart from the times.",
  },
  {
    title: "Runs on a laptop",
    text: "No account, no region, no invoice. The runtimes are the real ones, and the addresses are your own.",
  },
  {
    title: "Made to be forked",
    text: "A case is one folder. It appears in the list, in the checks and in the report without another line.",
  },
  {
    title: "Quiet when it must be",
    text: "A result that could be noise is called noise. No adjective stands in a report that an interval does not carry.",
  },
  {
    title: "Two clocks",
    text: "What the client waited for is one number, what the server's processors worked is another. They answer different questions.",
  },
  {
    title: "Limits in sight",
    text: "Sizes of uploads, of functions and of bodies stand beside what each platform takes at most.",
  },
  {
    title: "Open numbers",
    text: "The report, the samples and the plan lie in one folder. Anyone can read them again with other tools.",
  },
];

/** The steps of a measurement, in order. */
export const steps: readonly Feature[] = [
  {
    title: "Clone",
    text: "Two commands bring everything that is needed: the package manager, the runtimes, the builds.",
  },
  {
    title: "Build",
    text: "Each platform's own tool makes what would be deployed. What has not changed comes from the cache.",
  },
  {
    title: "Prove",
    text: "Status, headers, length and body of every case are compared on all targets before a clock is started.",
  },
  {
    title: "Measure",
    text: "Warm up until steady, then ask in rounds, and stop when the intervals are narrow enough or the time is over.",
  },
  {
    title: "Read",
    text: "A table in the terminal, a page for the browser, a text for the pull request, a file for everything else.",
  },
];

/** Questions with their answers. */
export const questions: readonly Feature[] = [
  {
    title: "Is this a load test?",
    text: "No. One request at a time tells what a request costs. How many fit into a second is another question, and has a mode of its own.",
  },
  {
    title: "Why is my first request slow?",
    text: "It loads and compiles. The first exchanges of an instance are kept in the file, marked as warm-up, and left out of the ratios.",
  },
  {
    title: "Can I compare regions?",
    text: "Yes, with deployed addresses as targets. The network is then part of every number, and the report says so.",
  },
  {
    title: "What if the bodies differ?",
    text: "Then the comparison does not begin. Text that must differ is marked and masked; what a framework itself changes is listed with its reason.",
  },
  {
    title: "How long does it take?",
    text: "A few minutes for a first look. A narrow interval needs more time, and the report tells how wide yours is.",
  },
  {
    title: "Which numbers may I quote?",
    text: "Those with their interval, their machine and their versions beside them. The report prints them together for that reason.",
  },
  {
    title: "Do you trust a single run?",
    text: "Less than two. The control of each run says how far it can be trusted.",
  },
  {
    title: "Does it need root rights?",
    text: "No. Where the system lets a user bind processes to cores, the client and the servers are kept apart, and the report says so.",
  },
  {
    title: "Can two runs share a machine?",
    text: "They can, and both reports will say so. The control of each becomes wider, because the machine has become noisier.",
  },
  {
    title: "What is a floor?",
    text: "The same exchange without the work. It tells how much of a number belongs to the way there and back.",
  },
  {
    title: "Why is there no cache?",
    text: "A cache answers with what was rendered before. Here every page is rendered for every request, and a number in the page proves it.",
  },
  {
    title: "Why three platforms?",
    text: "Because people choose between them, and because the same language runs there on three different hosts.",
  },
];

/** Quotations of users who do not exist. */
export const voices: readonly Voice[] = [
  {
    words: "We found our own mistake before our readers did.",
    who: "A platform engineer",
  },
  {
    words: "The twin was slower than the competitor. We fixed the machine first.",
    who: "A performance team",
  },
  {
    words: "It is the first report that I could hand to a finance department.",
    who: "A head of engineering",
  },
  {
    words: "I added our checkout page as a case in an afternoon.",
    who: "A shop developer",
  },
  {
    words: "The interval was wider than the difference. That saved us a migration.",
    who: "A start-up founder",
  },
  {
    words: "It says cannot tell. I had never seen a benchmark say that.",
    who: "A reader",
  },
];

/** Plans that cost nothing. */
export const plans: readonly Plan[] = [
  {
    name: "Laptop",
    price: "Nothing",
    points: ["All cases", "All local runtimes", "Reports in three formats", "No account"],
  },
  {
    name: "Team",
    price: "Still nothing",
    points: [
      "Runs in continuous integration",
      "History of every run",
      "Own cases beside ours",
      "Budgets for regressions",
    ],
  },
  {
    name: "Deployed",
    price: "What the platforms charge",
    points: [
      "Targets by address",
      "Many machines and regions",
      "A token for each run",
      "The network in every number",
    ],
  },
];

/** Rows of the table of workloads: name, work, where it runs, what is timed. */
export const rows = [
  ["Rendering", "A page of nineteen thousand elements", "server-rendered", "last byte"],
  ["Streaming", "The same page in ten parts", "server-rendered", "first and last byte"],
  ["Templates", "Two megabytes of plain strings", "handler", "last byte"],
  ["Numbers", "Sines, sorts and hashes", "handler", "last byte"],
  ["Memory", "Objects that outlive collections", "handler", "last byte"],
  ["Streams", "Five megabytes in small chunks", "handler", "last byte"],
  ["Parsing", "A hundred thousand keys", "handler", "last byte"],
  ["Floor", "Nothing at all", "every app", "last byte"],
];

/** The questions as structured data for search engines (https://schema.org/FAQPage). */
export const structuredData = {
  "@context": "https://schema.org",
  "@type": "FAQPage",
  mainEntity: questions.map(({ title, text }) => ({
    "@type": "Question",
    name: title,
    acceptedAnswer: { "@type": "Answer", text },
  })),
};

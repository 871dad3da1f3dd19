export const TITLE = "Evenbench: the same JavaScript, measured evenly";
export const DESCRIPTION =
  "How one source runs on Workers, functions and a cluster: measured side by side, with intervals and a control.";
export const ADDRESS = "https://evenbench.example/";

export interface Feature {
  readonly title: string;
  readonly text: string;
}

/** From lines of text, each a title and what it says. */
function featuresOf(lines: string): readonly Feature[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [title = "", text = ""] = line.split(" | ");
      return { title, text };
    });
}

export const features = featuresOf(`
One source, three runtimes | The same files are served by a Worker, by a function and by a cluster of processes, and a digest proves it.
Rounds, not batches | Every round asks each target once, in random order, so that a busy minute hurts all of them alike.
A twin for control | The baseline runs twice. What differs between the two is what this machine calls a difference today.
The whole body counts | The clock stops at the last byte. A first byte that comes early is a second number, never the only one.
Pins before numbers | Settings that change the work are compared first. Where they differ, nothing is measured, and both values are shown.
Nothing is thrown away | Each exchange is a line in a file from the moment it ends. An interrupted run keeps what it has.
Fresh processes | Two processes of one build are never quite alike. Several sets of new ones take that out of the comparison.
Intervals, not points | A ratio comes with the range in which it lies, and with a word for what that range allows to say.
Errors are results | A truncated page, a wrong length, a refused connection: each is counted, named and kept apart from the times.
Runs on a laptop | No account, no region, no invoice. The runtimes are the real ones, and the addresses are your own.
Made to be forked | A case is one folder. It appears in the list, in the checks and in the report without another line.
Quiet when it must be | A result that could be noise is called noise. No adjective stands in a report that an interval does not carry.
Two clocks | What the client waited for is one number, what the server's processors worked is another. They answer different questions.
Limits in sight | Sizes of uploads, of functions and of bodies stand beside what each platform takes at most.
Open numbers | The report, the samples and the plan lie in one folder. Anyone can read them again with other tools.
`);

export const steps = featuresOf(`
Clone | Two commands bring everything that is needed: the package manager, the runtimes, the builds.
Build | Each platform's own tool makes what would be deployed. What has not changed comes from the cache.
Prove | Status, headers, length and body of every case are compared on all targets before a clock is started.
Measure | Warm up until steady, then ask in rounds, and stop when the intervals are narrow enough or the time is over.
Read | A table in the terminal, a page for the browser, a text for the pull request, a file for everything else.
`);

export const questions = featuresOf(`
Is this a load test? | No. One request at a time tells what a request costs. How many fit into a second is another question, and has a mode of its own.
Why is my first request slow? | It loads and compiles. The first exchanges of an instance are kept in the file, marked as warm-up, and left out of the ratios.
Can I compare regions? | Yes, with deployed addresses as targets. The network is then part of every number, and the report says so.
What if the bodies differ? | Then the comparison does not begin. Text that must differ is marked and masked; what a framework itself changes is listed with its reason.
How long does it take? | A few minutes for a first look. A narrow interval needs more time, and the report tells how wide yours is.
Which numbers may I quote? | Those with their interval, their machine and their versions beside them. The report prints them together for that reason.
Do you trust a single run? | Less than two. The control of each run says how far it can be trusted.
Does it need root rights? | No. Where the system lets a user bind processes to cores, the client and the servers are kept apart, and the report says so.
Can two runs share a machine? | They can, and both reports will say so. The control of each becomes wider, because the machine has become noisier.
What is a floor? | The same exchange without the work. It tells how much of a number belongs to the way there and back.
Why is there no cache? | A cache answers with what was rendered before. Here every page is rendered for every request, and a number in the page proves it.
Why three platforms? | Because people choose between them, and because the same language runs there on three different hosts.
`);

export const voices = featuresOf(`
We found our own mistake before our readers did. | A platform engineer
The twin was slower than the competitor. We fixed the machine first. | A performance team
It is the first report that I could hand to a finance department. | A head of engineering
I added our checkout page as a case in an afternoon. | A shop developer
The interval was wider than the difference. That saved us a migration. | A start-up founder
It says cannot tell. I had never seen a benchmark say that. | A reader
`).map(({ title: words, text: who }) => ({ words, who }));

export const plans = [
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

export const structuredData = {
  "@context": "https://schema.org",
  "@type": "FAQPage",
  mainEntity: questions.map(({ title, text }) => ({
    "@type": "Question",
    name: title,
    acceptedAnswer: { "@type": "Answer", text },
  })),
};

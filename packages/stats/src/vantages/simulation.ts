/// <reference path="../jstat.d.ts" />
import jstat from "jstat";
import { meanInterval } from "../mean-interval.ts";
import { drawNormal, type Random, seededRandom } from "../random.ts";
import type { TrialDifference } from "./difference.ts";
import { judgeAcrossVantages } from "./judge.ts";
import { type DifferenceAcross, differenceAcross } from "./pool.ts";

/** What vantages are in a simulation. Milliseconds. */
export interface VantageScenario {
  readonly name: string;
  readonly vantages: number;
  /** Of each vantage. */
  readonly trials: number;
  /** How much longer the target takes, in the mean of all routes that there could be. */
  readonly effectMs: number;
  /** Standard deviation of that between routes. */
  readonly betweenMs: number;
  /** Standard deviation of one target's time between trials of one vantage. */
  readonly trialMs: number;
  /** So many vantages stand behind one edge, and have its route. */
  readonly behindOne?: number;
  /** Whether the edges are known. Default: yes. */
  readonly edgesTold?: boolean;
  /** The first vantage: how many times as much its trials scatter, and what its route adds to the target alone. */
  readonly first?: { readonly scatter?: number; readonly addsMs?: number };
}

/** What the baseline takes: by it the precision becomes milliseconds. */
const BASELINE_MS = 50;
const PRECISION = 0.02;

interface SimulatedVantages {
  readonly difference: readonly TrialDifference[];
  readonly toCopy: readonly TrialDifference[];
  readonly control: readonly TrialDifference[];
}

function simulate(scenario: VantageScenario, random: Random): SimulatedVantages {
  const { vantages, trials, effectMs, betweenMs, trialMs, behindOne = 1, edgesTold = true, first } = scenario;
  const ways = Array.from({ length: Math.ceil(vantages / behindOne) }, () => betweenMs * drawNormal(random));
  const drawn = Array.from({ length: vantages }, (_, vantage) => {
    const way = Math.floor(vantage / behindOne);
    const [scatter, adds] = vantage === 0 ? [first?.scatter ?? 1, first?.addsMs ?? 0] : [1, 0];
    return Array.from({ length: trials }, (_, trial) => {
      const draw = () => scatter * trialMs * drawNormal(random);
      const edge = behindOne > 1 && edgesTold ? String(way) : null;
      const shell = { vantage: String(vantage), client: "1", trial: vantage * trials + trial, edge };
      const [baseline, copy, target] = [draw(), draw(), draw() + effectMs + (ways[way] ?? 0) + adds];
      return {
        difference: { ...shell, ms: target - baseline },
        toCopy: { ...shell, ms: target - copy },
        control: { ...shell, ms: copy - baseline },
      };
    });
  }).flat();
  return {
    difference: drawn.map(({ difference }) => difference),
    toCopy: drawn.map(({ toCopy }) => toCopy),
    control: drawn.map(({ control }) => control),
  };
}

/** Shares of simulated runs. */
export interface VantageShares {
  /** The pooled interval is printed: all vantages lie on one side of 0, and none contradicts another. */
  readonly printed: number;
  /** It holds the true difference: of all runs, and of those in which it is printed. */
  readonly covered: number;
  readonly coveredWhenPrinted: number;
  /** The same of an interval over all trials as if each were independent. */
  readonly coveredByTrials: number;
  readonly said: Readonly<Record<"slower" | "faster" | "same" | "disagree" | "inconclusive", number>>;
  /** "Slower" or "faster" where all trials are taken as independent. */
  readonly saidByTrials: number;
  /** Vantages are taken as different: by Welch's chance, and by Q's own table. */
  readonly different: number;
  readonly differentByTable: number;
}

/** Puts simulated runs through the code that judges real ones. */
export function vantageShares(scenario: VantageScenario, runs: number, seed: number): VantageShares {
  const random = seededRandom(seed);
  const truth = scenario.effectMs + (scenario.first?.addsMs ?? 0) / scenario.vantages;
  const holds = (interval: { low: number; high: number } | null, ms: number) =>
    interval !== null && interval.low <= ms && ms <= interval.high;
  const found = Array.from({ length: runs }, () => {
    const drawn = simulate(scenario, random);
    const difference = differenceAcross(drawn.difference);
    const byTrials = meanInterval(drawn.difference.map(({ ms }) => ms));
    const said = saidOf(drawn, difference);
    const { q = 0, degrees = 1, p = 1 } = difference.heterogeneity ?? {};
    return {
      covered: holds(difference.mean, truth),
      printed: difference.pooled !== null,
      coveredByTrials: holds(byTrials, truth),
      said,
      saidByTrials: !holds(byTrials, 0),
      different: p < 0.05,
      differentByTable: q > jstat.chisquare.inv(0.95, degrees),
    };
  });
  type Found = (typeof found)[number];
  const share = (of: (one: Found) => boolean, among = found) => among.filter(of).length / among.length;
  const saying = (what: Found["said"]) => share(({ said }) => said === what);
  return {
    printed: share(({ printed }) => printed),
    covered: share(({ covered }) => covered),
    coveredWhenPrinted: share(
      ({ covered }) => covered,
      found.filter(({ printed }) => printed),
    ),
    coveredByTrials: share(({ coveredByTrials }) => coveredByTrials),
    said: {
      slower: saying("slower"),
      faster: saying("faster"),
      same: saying("same"),
      disagree: saying("disagree"),
      inconclusive: saying("inconclusive"),
    },
    saidByTrials: share(({ saidByTrials }) => saidByTrials),
    different: share(({ different }) => different),
    differentByTable: share(({ differentByTable }) => differentByTable),
  };
}

function saidOf(drawn: SimulatedVantages, difference: DifferenceAcross): keyof VantageShares["said"] {
  const toCopy = differenceAcross(drawn.toCopy);
  const control = differenceAcross(drawn.control);
  const { verdict, reason } = judgeAcrossVantages(
    { difference, toCopy, control, baselineMs: BASELINE_MS },
    PRECISION,
  );
  if (reason.startsWith("The vantages disagree")) return "disagree";
  // Simulated instances are warm.
  return verdict === "not warm" ? "inconclusive" : verdict;
}

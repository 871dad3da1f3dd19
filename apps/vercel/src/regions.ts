/** Vercel's documentation, "Vercel CDN regions": its names of AWS's regions. */
const REGIONS: Readonly<Record<string, string>> = {
  "af-south-1": "cpt1",
  "ap-east-1": "hkg1",
  "ap-northeast-1": "hnd1",
  "ap-northeast-2": "icn1",
  "ap-northeast-3": "kix1",
  "ap-south-1": "bom1",
  "ap-southeast-1": "sin1",
  "ap-southeast-2": "syd1",
  "ca-central-1": "yul1",
  "eu-central-1": "fra1",
  "eu-north-1": "arn1",
  "eu-west-1": "dub1",
  "eu-west-2": "lhr1",
  "eu-west-3": "cdg1",
  "me-central-1": "dxb1",
  "sa-east-1": "gru1",
  "us-east-1": "iad1",
  "us-east-2": "cle1",
  "us-west-1": "sfo1",
  "us-west-2": "pdx1",
};

/** The regions that Vercel has, as AWS calls them. */
export const KNOWN_REGIONS: readonly string[] = Object.keys(REGIONS);

/** Vercel's name of a region; undefined where it has none there. */
export function vercelRegion(region: string): string | undefined {
  return REGIONS[region];
}

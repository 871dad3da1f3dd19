/**
 * Where deployments run unless another region is asked for: the one place that says so. AWS's name,
 * because Vercel's regions are AWS's, and Cloudflare takes one as a placement hint.
 */
export const DEFAULT_REGION = "us-east-1";

declare module "*.css" {
  const text: string;
  export default text;
}

declare module "*.csv" {
  const text: string;
  export default text;
}

declare module "*.html" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.svg" {
  const text: string;
  export default text;
}

declare module "*.txt" {
  const text: string;
  export default text;
}

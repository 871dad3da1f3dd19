/** What a text file imports as, wherever cases are loaded. */
declare module "*.txt" {
  const text: string;
  export default text;
}

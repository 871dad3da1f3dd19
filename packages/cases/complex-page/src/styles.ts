// Styles of the complex page as CSS, for frameworks whose templates are HTML. Those of React are in react.tsx.
/** Style of the page's header. */
export const header = "padding:16px;border-bottom:2px solid #17423a";
/** Style of a part of the page, and of its footer. */
export const part = "padding:16px;border-bottom:1px solid #d5dbe1";
/** Style of the headings of the page and its parts. */
export const heading = "font-size:20px;margin:0 0 8px";
/** Style of the headings within a part. */
export const smallHeading = "font-size:15px;margin:8px 0";
/** Style of a prime number of an item. */
export const chip = "display:inline-block;padding:4px 8px;margin:2px;background:#e8f1ee;font-size:12px";
/** Style of a Fibonacci number. */
export const number = "display:inline-block;padding:4px 8px;margin:2px;background:#f3eee2;font-size:12px";
/** Style of the list of a part's items. */
export const list = "list-style:none;margin:0;padding:0";
/** Style of an item of a part. */
export const entry = "padding:10px;margin:6px 0;border:1px solid #d5dbe1;border-radius:6px";
/** Style of a line of facts. */
export const field = "display:block;padding:2px 0;font-size:13px;color:#3c4650";
/** Style of a cell of the table of factorials. */
export const cell = "display:inline-block;width:120px;padding:8px;margin:3px;border:1px solid #d5dbe1";
/** Style of the number of such a cell. */
export const cellNumber = "display:block;font-size:14px";
/** Style of the factorial in such a cell. */
export const cellValue = "font-size:12px";

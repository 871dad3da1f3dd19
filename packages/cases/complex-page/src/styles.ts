// For frameworks whose templates are HTML.
export const header = "padding:16px;border-bottom:2px solid #17423a";
export const part = "padding:16px;border-bottom:1px solid #d5dbe1";
export const heading = "font-size:20px;margin:0 0 8px";
export const smallHeading = "font-size:15px;margin:8px 0";
export const chip = "display:inline-block;padding:4px 8px;margin:2px;background:#e8f1ee;font-size:12px";
export const number = "display:inline-block;padding:4px 8px;margin:2px;background:#f3eee2;font-size:12px";
export const list = "list-style:none;margin:0;padding:0";
export const entry = "padding:10px;margin:6px 0;border:1px solid #d5dbe1;border-radius:6px";
export const field = "display:block;padding:2px 0;font-size:13px;color:#3c4650";
export const cell = "display:inline-block;width:120px;padding:8px;margin:3px;border:1px solid #d5dbe1";
export const cellNumber = "display:block;font-size:14px";
export const cellValue = "font-size:12px";

/** Of the list of contents, and of cases that fold. The page is 1120 pixels wide: the list needs 200 beside it. */
export const CONTENTS_STYLE = `
.contents{display:none}
@media screen and (min-width:1560px){
.contents{display:block;position:fixed;top:44px;left:max(16px,calc(50vw - 772px));width:196px;max-height:calc(100vh - 88px);overflow:auto;font-size:13px;line-height:1.4}
.contents ul{list-style:none;margin:0;padding:0}.contents ul ul{padding-left:12px}.contents li{margin:5px 0}.contents a{color:var(--soft)}.contents a:hover{color:var(--ink)}
.contents button{font:inherit;color:var(--link);background:none;border:0;padding:8px 0;cursor:pointer}
}
.case>details>summary{cursor:pointer;margin-bottom:4px}.case>details>summary h3{display:inline}
`;

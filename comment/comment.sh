#!/usr/bin/env bash
# Puts the text of FILE into a comment on the pull request NUMBER, or on the open one whose head is HEAD_SHA, and replaces the comment of before.
# The text may be whatever a pull request made of it: mentions, links, pictures and HTML are taken out.
set -euo pipefail

number=${NUMBER:-}
if [ -z "$number" ]; then
  number=$(gh pr list --state open --limit 500 --json number,headRefOid --jq "map(select(.headRefOid == \"$HEAD_SHA\")) | first | .number // empty")
fi
if [ -z "$number" ]; then
  echo "The pull request has moved on, or is closed: nothing to comment."
  exit 0
fi
if [ ! -f "$FILE" ] || [ -L "$FILE" ]; then
  echo "The run left no text: nothing to comment."
  exit 0
fi

marker='<!-- evenbench -->'
gap=$'\u200b'
body=$(mktemp)
{
  echo "$marker"
  # A letter that is cut in two is left out, and no error.
  head -c 60000 "$FILE" | { iconv -c -f utf-8 -t utf-8 2> /dev/null || true; } | grep -vxF "$marker" | sed -e "s/@/@$gap/g" -e "s/</\&lt;/g" -e "s/](/]$gap(/g" -e "s/]:/]$gap:/g" -e "s|://|:$gap//|g" -e "s/www\./www$gap./g"
} > "$body"

id=$(gh api --paginate "repos/$GH_REPO/issues/$number/comments" --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id")
# The oldest one, where somebody copied the marker.
id=${id%%$'\n'*}
if [ -n "$id" ]; then
  gh api --method PATCH "repos/$GH_REPO/issues/comments/$id" -F "body=@$body" > /dev/null
else
  gh api "repos/$GH_REPO/issues/$number/comments" -F "body=@$body" > /dev/null
fi

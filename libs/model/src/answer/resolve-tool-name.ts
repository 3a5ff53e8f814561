/** Channel tags that gpt-oss leaks into tool names: `read_file<|channel|>json`. */
const TAG = /<\|[^|]*\|>/g;
const RECIPIENT = /^(?:to=)?functions?\./;
/** Remainder of a leaked tag when the server drops only its special tokens: `read_filejson`, `read_filecommentary`. */
const TAG_WORD = /[\s:]*(?:json|commentary|analysis)$/i;

/**
 * Resolves the tool that a call means. A leaked tag is removed only if the rest is an offered tool; any other name is
 * returned as received, so that the caller can refuse it by that name.
 */
export function resolveToolName(received: string, offered: ReadonlySet<string>): string {
  const name = received.trim();
  if (offered.has(name)) return name;
  return listCandidates(name).find((candidate) => offered.has(candidate)) ?? name;
}

/** Longer names cannot be an offered tool with a leaked tag, so they are not searched for one. */
const MAX_NAME_CHARACTERS = 500;

function listCandidates(name: string): readonly string[] {
  if (name.length > MAX_NAME_CHARACTERS) return [];
  const tag = name.indexOf('<|');
  const withoutTags = [name, name.replace(TAG, ''), tag > 0 ? name.slice(0, tag) : name, lastWordAfterTags(name)]
    .map((form) => form.trim())
    .flatMap((form) => [form, form.replace(RECIPIENT, '')]);
  return withoutTags.flatMap((form) => [form, form.replace(TAG_WORD, '')]);
}

/** `<|channel|>commentary to=functions.read_file`: the name is the last word. */
function lastWordAfterTags(name: string): string {
  const end = name.lastIndexOf('|>');
  return (
    name
      .slice(end < 0 ? 0 : end + 2)
      .trim()
      .split(/\s+/)
      .at(-1) ?? ''
  );
}

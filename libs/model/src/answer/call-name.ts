/** What gpt-oss glues to names when its channel tags leak: `read_file<|channel|>json`. */
const TAG = /<\|[^|]*\|>/g;
const RECIPIENT = /^(?:to=)?functions?\./;
/** What is left of the tags where a server drops the special tokens alone: `read_filejson`, `read_filecommentary`. */
const TAG_WORD = /[\s:]*(?:json|commentary|analysis)$/i;

/**
 * The name of the tool that was meant. What is glued on is taken off only if an offered tool is left; any other name
 * stays as it came, for the caller to refuse by.
 */
export function toolNameOf(received: string, offered: ReadonlySet<string>): string {
  const name = received.trim();
  if (offered.has(name)) return name;
  return candidates(name).find((candidate) => offered.has(candidate)) ?? name;
}

/** A longer name is none of an offered tool with a tag glued to it, and is not searched for one. */
const LONGEST_NAME = 500;

function candidates(name: string): readonly string[] {
  if (name.length > LONGEST_NAME) return [];
  const tag = name.indexOf('<|');
  const plain = [name, name.replace(TAG, ''), tag > 0 ? name.slice(0, tag) : name, afterLastTag(name)]
    .map((form) => form.trim())
    .flatMap((form) => [form, form.replace(RECIPIENT, '')]);
  return plain.flatMap((form) => [form, form.replace(TAG_WORD, '')]);
}

/** `<|channel|>commentary to=functions.read_file`: the name is the last word. */
function afterLastTag(name: string): string {
  const end = name.lastIndexOf('|>');
  return (
    name
      .slice(end < 0 ? 0 : end + 2)
      .trim()
      .split(/\s+/)
      .at(-1) ?? ''
  );
}

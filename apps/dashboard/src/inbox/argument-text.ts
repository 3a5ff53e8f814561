/**
 * Writes arguments as text that people can compare line by line: texts of several lines stand below their name as they are, all other
 * values as JSON.
 */
export function renderArguments(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([name, value]) =>
      typeof value === 'string' && value.includes('\n')
        ? `${name}:\n${value.replace(/\n$/, '')}`
        : `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}`,
    )
    .join('\n');
}

/** Parses the text of an editor as a JSON object. Returns what is wrong with it otherwise. */
export function parseArguments(
  text: string,
): { readonly value: Record<string, unknown> } | { readonly problem: string } {
  const parsed = parseJson(text);
  if ('problem' in parsed) return parsed;
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'Expected a JSON object with the names of the arguments.' };
  return { value: value as Record<string, unknown> };
}

/** Parses a JSON text. Returns what is wrong with it otherwise. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

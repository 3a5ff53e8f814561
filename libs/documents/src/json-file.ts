/** Encodes JSON with one list entry per line, so that line ranges select entries. The same value gives the same bytes. */
export function encodeJsonFile(
  head: Readonly<Record<string, unknown>>,
  lists: Readonly<Record<string, readonly unknown[]>>,
): Uint8Array {
  const fields = Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  const listed = Object.entries(lists).map(([name, entries]) => {
    const rows = entries.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
    return `  ${JSON.stringify(name)}: [${rows === '' ? '' : `\n${rows}\n  `}]`;
  });
  return Buffer.from(`{\n${[...fields, ...listed].join(',\n')}\n}\n`);
}

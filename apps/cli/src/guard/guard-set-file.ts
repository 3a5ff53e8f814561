import { deniesOnFailure, type ImportedSet } from '@phaseline/hooks';

export interface GuardSetTerms {
  readonly name: string;
  readonly owner: string;
  readonly version: string;
}

/** Renders the file that describes an imported guard set. Its author may change what is in it; the version is that of the files. */
export function renderGuardSetFile({ name, owner, version }: GuardSetTerms): string {
  return [
    '# Hooks of Claude Code, imported by phaseline guards import. Import them again after a change of the scripts.',
    `name: ${name}`,
    `owner: ${JSON.stringify(owner)}`,
    'stage: production',
    `version: ${version}`,
    '# Hosts that the hooks may reach.',
    'network: []',
    '# Secrets that the hooks receive as variables.',
    'secrets: []',
    '# Whether a hook may be asked again after a crash. If not, the call that waited for it is denied.',
    'idempotent: false',
    '',
  ].join('\n');
}

/** What an import found, as lines for people. */
export function renderImport({ handlers, version, ...found }: ImportedSet, name: string): readonly string[] {
  const rows = handlers.map((handler) => [
    handler.name,
    handler.matcher ?? '*',
    handler.kind === 'judge' ? `judge: ${handler.prompt}` : [handler.command, ...(handler.args ?? [])].join(' '),
    `${handler.timeoutSeconds} s`,
    handler.kind === 'judge' || deniesOnFailure(handler) ? 'denies when it fails' : 'continues when it fails',
  ]);
  const list = (title: string, notes: ImportedSet['notes']): readonly string[] =>
    notes.length === 0 ? [] : [title, ...notes.map(({ place, message }) => `  ${place}: ${message}`)];
  return [
    `Guard set ${name}, version ${version.slice(0, 12)}`,
    ...alignRows(rows).map((row) => `  ${row}`),
    ...list('Never fires here:', found.unsupported),
    ...list('Works differently here:', found.notes),
    ...list('Invalid:', found.problems),
  ];
}

function alignRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

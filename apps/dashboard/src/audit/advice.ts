/** What to do about a kind of problem. The end of a kind tells its family; docs/concepts/audit.md explains each. */
export function adviseOn(kind: string): string {
  if (kind.endsWith('-other-key'))
    return 'The signature is valid, but the key is not the expected one. Compare the key ids, and ask who writes anchors.';
  if (kind.startsWith('claim-'))
    return 'The hashes match, but the log accepts a claim that it does not prove. Read the steps before it, and ask who could append to the log.';
  if (kind.startsWith('file-'))
    return 'The content of this file is lost or was changed. Restore it from a backup, and do not trust it until it verifies.';
  if (kind.startsWith('anchor-') || kind === 'receipt-mismatch')
    return 'Anchors were removed, replaced or changed. Compare them with the receipts that are kept outside of the database.';
  return 'The stored rows are not those that were written. Copy the database before you change anything, and compare the copy with a backup.';
}

/** Names the place of a problem: an event of a stream, an anchor, or the log. */
export function describePlace(problem: {
  readonly streamId?: string | undefined;
  readonly version?: number | undefined;
  readonly anchor?: number | undefined;
  readonly path?: string | undefined;
}): string {
  const { streamId, version, anchor, path } = problem;
  if (streamId !== undefined)
    return [`${streamId}, version ${version ?? 0}`, ...(path === undefined ? [] : [path])].join(', ');
  return anchor === undefined ? 'the log' : `anchor ${anchor}`;
}

/** Describes the type of an event as something that was done: `GuardOverridden` becomes `guard overridden`. */
export function describeAction(type: string): string {
  return type.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
}

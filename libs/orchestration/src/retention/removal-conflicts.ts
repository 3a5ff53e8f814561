/** Times that a removal is decided again because the job or its content changed meanwhile. The next run continues. */
export const MAX_CONFLICTS = 5;

/** SQLSTATE of remove_files and remove_vectors: content became needed, or changed, after its removal was decided. */
const NEEDED_SINCE = 'PL011';

export function isNeededSince(error: unknown): boolean {
  return (error as { code?: unknown }).code === NEEDED_SINCE;
}

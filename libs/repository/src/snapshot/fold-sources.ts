/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'badd0c785ed7d931684fb36818054ff34401639fd7751ffba4b275d048172bd4';

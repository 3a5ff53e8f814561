/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'dc9c13042ded3d38842d9932333ae4e772e56d247d8591a64ffe92939d148562';

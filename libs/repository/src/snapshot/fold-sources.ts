/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '61525013b18459cc6bcf5e78b6bb6315b44c13b0a2e4da2d5779f7546554c34a';

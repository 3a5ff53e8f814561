/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '58629ce1d7aa6ee7645d08675cde250c9c3ca55b91727e14e6fe2121ee76f2b9';

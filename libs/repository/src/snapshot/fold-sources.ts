/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '99eadad7076fce9c206e295de427fb31566b2a704d5767391e4c259a7500acd1';

/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '492dcb6dcebc9749fe926c4bc510e851c151761dd7e5c0a817d41d250a1e582d';

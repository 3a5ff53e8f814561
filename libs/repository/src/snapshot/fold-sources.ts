/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '847c0b8036cbb8995bb3ff0c08f1eb3bec63a6b96bee26c20b57049deb66648d';

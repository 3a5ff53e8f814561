/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'eccd843f1be71b5ec8782713f66ea5ad0ef6764fd62bbe9e1927a7547e0d02ea';

/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '28e6690b10848c5ece84c0ed9e804b4d69d13225e229109978861e32b533c1b8';

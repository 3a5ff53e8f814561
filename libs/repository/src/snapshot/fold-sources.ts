/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '4d3c577ce2c17e7c360e5efbe0f2d05c0a350078b3692c423b595b400ce565f6';

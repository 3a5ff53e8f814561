/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '3cb741b0397f31cac501deeb672fb27869ac35ae22637d7cf30902dc9d5318be';

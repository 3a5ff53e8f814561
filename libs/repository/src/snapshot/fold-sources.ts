/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'c410a8b470e60e3da00b2569d8b2bd7a203c183f13b86100d314edd2437b61ac';

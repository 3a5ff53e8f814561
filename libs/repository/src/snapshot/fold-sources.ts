/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'a0810b92aa57b5461e88b03d8e62b0721bd0a7077c0a3871e7ca564e30289c1f';

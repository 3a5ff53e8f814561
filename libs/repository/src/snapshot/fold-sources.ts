/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'd0204a349c35db27457dff48be0d80f9247feeacd86408da84ca8abaffdca669';

/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '5de084d79a907b279324f2ec425d1f303fee5667fd836f806bbbb6e0299ca96c';

/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '129162fa135e4753fed962197a282500f1694b6fae708d7a97be1ff68906ba5b';

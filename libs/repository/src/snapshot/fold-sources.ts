/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'a8d2fb3b182fcd33a072647c0e516afbcaef62356c30cb9bdac7a4528184c7bf';

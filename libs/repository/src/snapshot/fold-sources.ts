/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '1fd3716c6ec8017a260752aa4dc933f5147fdf52699a4ab1add23becd84477bf';

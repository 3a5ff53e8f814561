/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'ac9c20fbbea42087e9640873fd51b48d9a4abd741312aa86db531ec987a91f15';

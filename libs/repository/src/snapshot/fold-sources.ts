/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'a520857e3df0505be778611d8b445ee52804bed23e6b1d61f83ecbdd542d5844';

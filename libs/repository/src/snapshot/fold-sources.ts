/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '011123b75940d121b983d7854eb0ec1f4db788cc3d30abb7703e6c20ed3a50ff';

/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '2a3a113aca45af722df49ea5c87d56cd239a73296165f54b5bc1aef5edbc9f53';

/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '560da587ea68fc9b319d43ddeeb80804a180edd89f646c7b28f6cdecff224fb2';

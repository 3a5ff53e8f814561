/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'cef9dd7c87a51adb4bf374e674d2a478a9526f8704e98912cb4e61fdb69a30ec';

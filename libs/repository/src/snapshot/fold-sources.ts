/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '64692ba8a8777854b782399062a3c7b3d44012009522012aa13433c6e3cf7505';

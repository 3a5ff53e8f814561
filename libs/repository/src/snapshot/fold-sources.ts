/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '8c738aa6e8738084854657d6c9c8c85ac3dac8fa045d03223bc054e72ceee3cc';

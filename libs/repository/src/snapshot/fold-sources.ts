/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'f5e611965e211e0f71a2c32bbaf7aee0b9732fb5fb92b0fd882b3151f9d13482';

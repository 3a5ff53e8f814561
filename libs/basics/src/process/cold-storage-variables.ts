/** Variables that say where archives of jobs are, for programs that read the log. They start with `PHASELINE_`, so no setting of an agent may refer to them. */
export const coldStorageVariables = [
  'PHASELINE_COLD_STORAGE',
  'PHASELINE_COLD_STORAGE_ENDPOINT',
  'PHASELINE_COLD_STORAGE_REGION',
  'PHASELINE_COLD_STORAGE_KEY_ID',
  'PHASELINE_COLD_STORAGE_SECRET_KEY',
  'PHASELINE_COLD_STORAGE_SESSION_TOKEN',
] as const;

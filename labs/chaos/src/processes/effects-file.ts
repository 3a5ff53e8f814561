/** Path of the file to which the chaos tools append their effects. */
export function effectsFile(): string {
  return readSetting('PHASELINE_CHAOS_EFFECTS_FILE');
}

/** Folder below which commands run. */
export function workFolder(): string {
  return readSetting('PHASELINE_CHAOS_WORK_DIR');
}

function readSetting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: only a chaos run starts this program`);
  return value;
}

/** Path of the file to which the chaos tools append their effects. */
export function effectsFile(): string {
  const file = process.env.PHASELINE_CHAOS_EFFECTS_FILE;
  if (!file) throw new Error('PHASELINE_CHAOS_EFFECTS_FILE is not set: only a chaos run starts this program');
  return file;
}

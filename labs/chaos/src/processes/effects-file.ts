/** Path of the file to which the chaos tools append their effects. */
export function effectsFile(): string {
  const file = process.env.CHAOS_EFFECTS;
  if (!file) throw new Error('CHAOS_EFFECTS is not set: only a chaos run starts this program');
  return file;
}

/** Where the tools of the chaos run leave word of what they did. */
export function effectsFile(): string {
  const file = process.env.CHAOS_EFFECTS;
  if (!file) throw new Error('CHAOS_EFFECTS is missing: this process is started by the chaos run only');
  return file;
}

import { z } from 'zod';

/** Gives the text of a skill, or one of its files; offered wherever there are any. */
export const READ_SKILL = 'read_skill';
export const SKILLS_DIRECTORY = 'skills';

/** What the prompt always says of a skill: written by the system when the definition is loaded, from its SKILL.md. */
export const skillSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes'),
  description: z.string().min(1).max(1_024),
});
export type Skill = z.infer<typeof skillSchema>;

/** Where the text of a skill lies in the workspace of a job; its files lie beside it. */
export function skillFile(name: string): string {
  return `${SKILLS_DIRECTORY}/${name}/SKILL.md`;
}

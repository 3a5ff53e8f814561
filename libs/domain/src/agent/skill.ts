import { z } from 'zod';

/** Name of the tool that reads a skill or one of its files. It is offered if the agent has skills. */
export const READ_SKILL = 'read_skill';
export const SKILLS_DIRECTORY = 'skills';
/** Directory of the vocabularies of an agent, beside its definition and in the workspace of its jobs. */
export const VOCABULARIES_DIRECTORY = 'vocabularies';

/** The part of a skill that is always in the prompt, read from its SKILL.md when the definition is loaded. */
export const skillSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes'),
  description: z.string().min(1).max(1_024),
});
export type Skill = z.infer<typeof skillSchema>;

/** Path of a skill's text in the workspace of a job. Its other files are next to it. */
export function skillPath(name: string): string {
  return `${SKILLS_DIRECTORY}/${name}/SKILL.md`;
}

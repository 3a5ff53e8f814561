import { READ_SKILL, skillPath, type PhaseState } from '@phaseline/domain';

/** Lists the skills, one line each. A skill is left out if its files are missing because the definition was changed after submission. */
export function renderSkills({
  start: {
    terms: { skills = [] },
  },
  tree,
}: PhaseState): readonly string[] {
  const available = skills.filter(({ name }) => Object.hasOwn(tree, skillPath(name)));
  if (available.length === 0) return [];
  return [
    '',
    '## Skills',
    `Instructions for certain kinds of work. Before you start work that a skill describes, read the skill with ${READ_SKILL}.`,
    ...available.map(({ name, description }) => `- ${name}: ${description}`),
  ];
}

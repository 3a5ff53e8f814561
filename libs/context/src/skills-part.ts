import { READ_SKILL, skillFile, type PhaseState } from '@phaseline/domain';

/** A line for each skill. One whose files the job never got, because its definition was changed later, is not there. */
export function skillsPart({ start: { skills = [] }, tree }: PhaseState): readonly string[] {
  const there = skills.filter(({ name }) => Object.hasOwn(tree, skillFile(name)));
  if (there.length === 0) return [];
  return [
    '',
    '## Skills',
    `How some kinds of work are to be done. Before work that one of them fits, read it with ${READ_SKILL}.`,
    ...there.map(({ name, description }) => `- ${name}: ${description}`),
  ];
}

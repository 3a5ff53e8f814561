import { skillsSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolRun } from '@phaseline/tools';
import { skillPath, SKILLS_DIRECTORY } from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';

const FRONT_MATTER = /^\uFEFF?---\r?\n[\s\S]*?\r?\n---[^\S\n]*\r?\n/;
const MAX_LISTED_FILES = 100;

const readSkill: ToolRun<typeof skillsSpec, 'read_skill'> = async ({ state, workspace }, { name, file }) => {
  const known = (state.start.terms.skills ?? [])
    .map((skill) => skill.name)
    .filter((one) => skillPath(one) in state.tree);
  if (!known.includes(name))
    throw new ToolError(
      'unknown_skill',
      `There is no skill ${JSON.stringify(name)}. Available skills: ${known.join(', ')}.`,
    );
  const folder = `${SKILLS_DIRECTORY}/${name}/`;
  const files = Object.keys(state.tree)
    .filter((path) => path.startsWith(folder) && path !== skillPath(name))
    .map((path) => path.slice(folder.length))
    .sort();
  const wanted = file?.replace(/^\.\//, '');
  if (wanted !== undefined && wanted !== 'SKILL.md' && !files.includes(wanted))
    throw new ToolError(
      'unknown_skill_file',
      `The skill ${name} has no file ${JSON.stringify(file)}. Its files: ${files.slice(0, MAX_LISTED_FILES).join(', ') || 'none'}.`,
    );
  const text = tryDecodeText(await workspace.read(`${folder}${wanted ?? 'SKILL.md'}`));
  if (text === undefined)
    throw new ToolError(
      'not_text',
      `${folder}${wanted} is not a text file. Pass its path to a tool that reads this file type.`,
    );
  if (wanted !== undefined && wanted !== 'SKILL.md') return { content: text };
  const listed = files.slice(0, MAX_LISTED_FILES).map((path) => `- ${path}`);
  const more = files.length - listed.length;
  return {
    content: [
      text.replace(FRONT_MATTER, '').trim(),
      ...(listed.length > 0 ? ['', `Files of this skill, in ${folder}:`, ...listed] : []),
      ...(more > 0 ? [`- and ${more} more`] : []),
    ].join('\n'),
  };
};

/** Tool that reads the skills of the agent. */
export const skillsPack = implementPack(skillsSpec, { read_skill: readSkill });

function tryDecodeText(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

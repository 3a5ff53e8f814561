import { MAX_ITEM_CHARACTERS, memorySpec } from '@phaseline/pack-specs';
import { implementPack, type ToolRun } from '@phaseline/tools';
import {
  addExperience,
  addItem,
  MAX_EXPERIENCE_CHARACTERS,
  MAX_PURPOSE_CHARACTERS,
  MAX_PURPOSES,
  EXPERIENCES_FILE,
  FILES_HEADING,
  listFiles,
  listItems,
  listState,
  MEMORY_FILE,
  readPurposes,
  refreshSummary,
  setPurpose,
  STATE_HEADING,
  toItemText,
} from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';
import { encodeText, normalisePath, readText } from '@phaseline/workspace';
import { createMemoryChange, readMemory } from './memory-file.js';
import { ACCOMPLISHMENTS_HEADING, NOTES_HEADING, listMemoryItems } from './memory-items.js';

const generateSummary: ToolRun<typeof memorySpec, 'generate_workspace_summary'> = async ({ state, workspace, now }) => {
  const after = refreshSummary(await readMemory(workspace), { ...state, tree: workspace.tree }, now);
  return { content: `Updated ${MEMORY_FILE}.`, files: [createMemoryChange(after)] };
};

const describeFile: ToolRun<typeof memorySpec, 'describe_file'> = async (
  { state, workspace, now },
  { path: given, purpose: text },
) => {
  const path = normalisePath(given);
  if (!Object.hasOwn(workspace.tree, path)) throw new ToolError('file_missing', `There is no file ${path}.`);
  const memory = await readMemory(workspace);
  const purpose = toItemText(text, MAX_PURPOSE_CHARACTERS);
  const purposes = readPurposes(memory);
  if (purpose !== '' && !purposes.has(path) && purposes.size >= MAX_PURPOSES)
    throw new ToolError(
      'memory_full',
      `${MAX_PURPOSES} files have a purpose already. Remove one with an empty purpose, or describe the others in a file.`,
    );
  const after = setPurpose(memory, path, purpose, { ...state, tree: workspace.tree }, now);
  return { content: `Recorded in ${MEMORY_FILE}.`, files: [createMemoryChange(after)] };
};

const getSummary: ToolRun<typeof memorySpec, 'get_workspace_summary'> = async ({ state, workspace, now }) => {
  const memory = await readMemory(workspace);
  const content = [
    `## ${STATE_HEADING}`,
    ...listState(state, now),
    '',
    ...listMemoryItems(memory),
    `## ${FILES_HEADING}`,
    ...listFiles(workspace.tree, readPurposes(memory)),
  ];
  return { content: content.join('\n') };
};

/** Adds an item to the section of the memory with the given heading. */
function addItemUnder(heading: string): ToolRun<typeof memorySpec, 'add_accomplishment' | 'add_note'> {
  return async ({ workspace }, { text }) => {
    const item = toItemText(text, MAX_ITEM_CHARACTERS);
    if (item === '') throw new ToolError('empty', 'Not recorded: the text is empty.');
    const memory = await readMemory(workspace);
    if (listItems(memory, heading).includes(item)) return { content: `${MEMORY_FILE} already contains it.` };
    return {
      content: `Recorded under "${heading}" in ${MEMORY_FILE}.`,
      files: [createMemoryChange(addItem(memory, heading, item))],
    };
  };
}

const recordExperience: ToolRun<typeof memorySpec, 'add_experience'> = async (
  { workspace, callId },
  { kind, text: given },
) => {
  const file = workspace.tree[EXPERIENCES_FILE] ? await readText(workspace, EXPERIENCES_FILE) : undefined;
  if (toItemText(given, MAX_EXPERIENCE_CHARACTERS) === '')
    throw new ToolError('empty', 'Not recorded: the text is empty.');
  const added = addExperience(file, { kind, text: given });
  if (!added)
    return {
      content: `Not recorded: ${EXPERIENCES_FILE} already contains it, or the file is full. If it is full, remove outdated entries.`,
    };
  return {
    content: `Recorded in ${EXPERIENCES_FILE}.`,
    files: [{ path: EXPERIENCES_FILE, content: encodeText(added.file) }],
    events: [{ type: 'ExperienceNoted', data: { ...added.noted, callId } }],
  };
};

/** Tools for the agent's own memory: workspace.md for this job, experiences.md also for later ones. */
export const memoryPack = implementPack(memorySpec, {
  generate_workspace_summary: generateSummary,
  describe_file: describeFile,
  get_workspace_summary: getSummary,
  add_accomplishment: addItemUnder(ACCOMPLISHMENTS_HEADING),
  add_note: addItemUnder(NOTES_HEADING),
  add_experience: recordExperience,
});

import { isGlob, matchesGlob } from '@phaseline/checks';

/** Files that only the machine writes, beside those in its folders. They say nothing about the work of the agent. */
const MACHINE_FILES = ['todos.yaml', 'output/completion.json', 'feature-list.json', 'session-state.json'];
const MACHINE_FOLDERS = ['archive/', 'tool_results/'];

/** Machine files at the top, and one of each folder. A glob that matches one of them could be fulfilled without any work. */
const SAMPLES = ['todos.yaml', 'feature-list.json', 'session-state.json', 'archive/phase_001.md', 'tool_results/1.txt'];

/** Whether only the machine writes the file, or whether the glob may match such a file instead of one of the agent. */
export function namesMachineFile(path: string): boolean {
  if (MACHINE_FILES.includes(path) || MACHINE_FOLDERS.some((folder) => path.startsWith(folder))) return true;
  return isGlob(path) && SAMPLES.some((sample) => matchesGlob(path, sample));
}
